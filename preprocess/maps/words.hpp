#pragma once
/// Small changes of text.
#include <string>
#include <string_view>
#include <vector>

namespace civitas::maps {

[[nodiscard]] std::string lower(std::string_view word);                ///< of ASCII letters
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);  ///< whatever the case
/// True if `words` hold the word somewhere, whatever the case.
[[nodiscard]] bool contains_word(std::string_view words, std::string_view word);
[[nodiscard]] std::vector<std::string> split(std::string_view words, char separator);

}  // namespace civitas::maps
