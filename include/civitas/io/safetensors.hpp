#pragma once
/// Arrays as a safetensors file, which PyTorch, JAX and others read: eight bytes with the length of
/// a header, the header in JSON (type, shape and place of every array, and texts about them), then
/// all values.
#include "civitas/io/files.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace civitas::io {

/// An array of any shape; the last dim runs fastest in `values`, which has all its elements.
struct FloatArray {
    std::string name;
    std::vector<std::int64_t> shape;
    std::span<const float> values;
};

/// Writes arrays, and what is told `about` them (`__metadata__` in the header), atomically. Throws
/// Error as AtomicFile does, and on a full disk.
void write_safetensors(const std::filesystem::path& file,
                       const std::map<std::string, std::string>& about,
                       const std::vector<FloatArray>& arrays, Replace replace);

}  // namespace civitas::io
