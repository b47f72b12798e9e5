#pragma once
/// A checkpoint made of a state dict of PyTorch.
#include "civitas/base/coding.hpp"
#include "civitas/io/files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace civitas::inference {

/// Pixels of a side of the images that torchvision's models are trained on.
inline constexpr std::int64_t usual_pixels = 224;

/// What is not told is taken from what `civitas export` says in the file, else from torchvision's
/// habit: usual_pixels, rgb, no names.
struct StateDict {
    std::filesystem::path file;               ///< safetensors
    std::string net;                          ///< a classifier by name
    std::optional<std::int64_t> pixels = {};  ///< of a side of its images
    std::optional<Coding> coding = {};
    std::vector<std::string> names = {};  ///< of the classes
};

struct ImportedNet {
    std::int64_t classes = 0;
    std::int64_t pixels = 0;  ///< of a side of its images
    Coding coding = Coding::rgb;
};

/// Writes a checkpoint of step 0, with SGD's momentum at zero. Not collective. Throws Error for a
/// file that is no safetensors file or has a weight that is not finite, UsageError, with the first
/// names and counts, for one whose arrays are not those of the net; AgreedError where the
/// checkpoint cannot be written.
ImportedNet import_state_dict(const StateDict& told, const std::filesystem::path& to,
                              io::Replace replace);

}  // namespace civitas::inference
