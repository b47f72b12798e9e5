#pragma once
/// Pictures within a page.
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace civitas::run_report {

/// Base 64 (RFC 4648, section 4).
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

/// PNG files one after the other with a slider; without scripts, all below each other. Of more than
/// 16 so many, evenly spread, the first and the last with them; none wider than 800 pixels. In
/// the place of one that cannot be read stands why.
[[nodiscard]] std::string album(const std::vector<std::filesystem::path>& pictures);

}  // namespace civitas::run_report
