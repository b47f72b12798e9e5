#include "words.hpp"

#include <algorithm>

namespace civitas::maps {
namespace {

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string lower(std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(), lower_letter);
    return result;
}

bool same_word(std::string_view a, std::string_view b) { return lower(a) == lower(b); }

bool contains_word(std::string_view words, std::string_view word) {
    return lower(words).find(lower(word)) != std::string::npos;
}

std::vector<std::string> split(std::string_view words, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const auto end = words.find(separator);
        parts.emplace_back(words.substr(0, end));
        if (end == std::string_view::npos) return parts;
        words.remove_prefix(end + 1);
    }
}

}  // namespace civitas::maps
