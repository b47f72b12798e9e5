#pragma once
/// The kinds of files that programs read, each through its own reader.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace civitas::fuzz {

using Bytes = std::string;

struct Kind {
    std::string name;
    /// Reads a file as the programs do, to its end; throws what they throw.
    std::function<void(const std::filesystem::path&)> read;
    /// Writes bytes as a file of this kind.
    std::function<void(const std::filesystem::path&, const Bytes&)> write;
    bool text = false;
    bool names_file = true;  ///< in every error
};

/// `store`, `checkpoint`, `forged` (HDF5 that is given a checkpoint's seal, as an author of bad
/// intent would), `schedule`, `ini`, `profile` and `safetensors`; with GDAL also `itf`, `xtf` and
/// `rules`. Throws Error for another name.
[[nodiscard]] Kind kind_of(const std::string& name);

/// A small valid file of every kind but `forged`, as `folder`/KIND/NAME.
void write_seeds(const std::filesystem::path& folder);

/// Those of civitas-preprocess, if it is built.
[[nodiscard]] std::vector<Kind> map_kinds();
void write_map_seeds(const std::filesystem::path& folder);

[[nodiscard]] Bytes bytes_of(const std::filesystem::path& file);

}  // namespace civitas::fuzz
