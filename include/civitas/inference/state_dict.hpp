#pragma once
/// A checkpoint made of a state dict of PyTorch.
#include "civitas/base/coding.hpp"
#include "civitas/io/files.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::inference {

struct StateDict {
    std::filesystem::path file;  ///< safetensors
    std::string net;             ///< a classifier by name
    std::int64_t pixels = 224;   ///< of a side of its images
    Coding coding = Coding::rgb;
    std::vector<std::string> names = {};  ///< of the classes, where they are known
};

/// Writes a checkpoint of step 0, with SGD's momentum at zero, and returns the number of
/// classes. Not collective. Throws Error for a file that is no safetensors file, UsageError, with
/// the first names and counts, for one whose arrays are not those of the net; AgreedError where the
/// checkpoint cannot be written.
std::int64_t import_state_dict(const StateDict& from, const std::filesystem::path& to,
                               io::Replace replace);

}  // namespace civitas::inference
