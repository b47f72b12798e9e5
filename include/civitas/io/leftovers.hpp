#pragma once
/// Files in the making of processes that were ended.
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::io {

/// Removes those of a folder by the beginnings of what they were to become. Nobody else may be
/// writing there.
void remove_parts(const std::filesystem::path& folder, const std::vector<std::string>& beginnings);

}  // namespace civitas::io
