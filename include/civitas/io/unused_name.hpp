#pragma once
/// Names for what is set aside.
#include <filesystem>
#include <string>

namespace civitas::io {

/// A name that nothing has yet: `file` + ending, or + ending + "2", "3" ... where something has
/// that name already, so that nothing that was set aside before is replaced.
[[nodiscard]] std::filesystem::path unused_name(const std::filesystem::path& file,
                                                const std::string& ending);

/// Gives a file or folder the unused name, and returns that. Throws std::filesystem_error.
std::filesystem::path set_aside(const std::filesystem::path& file, const std::string& ending);

}  // namespace civitas::io
