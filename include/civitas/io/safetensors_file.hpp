#pragma once
/// A safetensors file that anybody may have written, read with distrust
/// (https://github.com/huggingface/safetensors#format).
#include "civitas/io/files.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace civitas::io {

/// An array of a file: where its bytes lie behind the header.
struct StoredArray {
    std::string type;  ///< `F32`, `F16`, `BF16`, `I64` ...
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

class SafetensorsFile {
public:
    /// Opens a file and checks its header: arrays of known types with as many bytes as their shapes
    /// say, no name twice, which fill what is behind the header without gap or overlap. Throws
    /// Error naming the file.
    [[nodiscard]] static SafetensorsFile open(const std::filesystem::path& file);

    [[nodiscard]] const std::map<std::string, StoredArray>& arrays() const noexcept {
        return arrays_;
    }
    /// What the file says of itself in words (`__metadata__`).
    [[nodiscard]] const std::map<std::string, std::string>& about() const noexcept {
        return about_;
    }
    /// The values of an array of F32, F16 or BF16, the last dim fastest. Throws Error for another
    /// type.
    [[nodiscard]] std::vector<float> floats(const std::string& name) const;

private:
    explicit SafetensorsFile(RawFile file) : file_(std::move(file)) {}
    RawFile file_;
    std::uint64_t values_at_ = 0;
    std::map<std::string, StoredArray> arrays_;
    std::map<std::string, std::string> about_;
};

}  // namespace civitas::io
