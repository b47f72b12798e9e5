#pragma once
/// Pictures within a page.
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::run_report {

/// PNG files one after the other with a slider; without scripts, all below each other. Of more than
/// 16 so many, evenly spread, the first and the last with them; none wider than 800 pixels. In
/// the place of one that cannot be read stands why.
[[nodiscard]] std::string album(const std::vector<std::filesystem::path>& pictures);

}  // namespace civitas::run_report
