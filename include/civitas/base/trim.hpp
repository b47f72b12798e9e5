#pragma once
/// Words without what stands around them.
#include <string_view>

namespace civitas {

/// Without the blanks, tabs and line ends on both sides.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view words) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const auto begin = words.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return words.substr(begin, words.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace civitas
