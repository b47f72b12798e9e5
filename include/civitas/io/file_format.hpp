#pragma once
/// Formats of files, which the extensions of their names tell.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace civitas::io {

/// What the programs write. `other`: what they do not, and people know by its name, too (a PDF).
enum class FileFormat { text, csv, json, html, svg, png, hdf5, safetensors, other };

/// The extension of a name with its dot, in lower case: ".png" of "Plans.PNG".
[[nodiscard]] std::string extension_of(const std::filesystem::path& file);
/// The extensions of a format with their dots, in lower case.
[[nodiscard]] std::vector<std::string_view> extensions_of(FileFormat format);
/// The format that a name's extension tells; nothing for one that nobody knows, or none.
[[nodiscard]] std::optional<FileFormat> format_of(const std::filesystem::path& file);

}  // namespace civitas::io
