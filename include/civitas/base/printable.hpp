#pragma once
/// Texts of files that may be anybody's, before they reach a terminal.
#include <string>
#include <string_view>

namespace civitas {

/// A text as UTF-8 without control characters, which can move the cursor, change colours or forge
/// lines: each of them and each byte that is no UTF-8 becomes `?`.
[[nodiscard]] std::string printable(std::string_view text);
/// printable() of a text of many lines, which stay lines, as do tabulators.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace civitas
