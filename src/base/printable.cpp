#include "civitas/base/printable.hpp"

#include <algorithm>

namespace civitas {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Bytes of the UTF-8 character that a text begins with, 0 where it begins with none.
std::size_t length_of_first(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80U                     ? 1
                               : lead >= 0xc2U && lead <= 0xdfU ? 2
                               : (lead & 0xf0U) == 0xe0U        ? 3
                               : lead >= 0xf0U && lead <= 0xf4U ? 4
                                                                : 0;
    if (length == 0 || length > text.size()) return 0;
    return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                       continues)
               ? length
               : 0;
}

// Of the two ranges of control characters, below U+0020 and from U+007F to U+009F.
bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) return first < 0x20U || first == 0x7fU;
    return first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
}

std::string cleaned(std::string_view text, std::string_view kept) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = length_of_first(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        const bool stays = kept.find(character) != std::string_view::npos;
        out += stays || (length > 0 && !is_control(character)) ? character : "?";
        text.remove_prefix(character.size());
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) { return cleaned(text, ""); }
std::string printable_lines(std::string_view text) { return cleaned(text, "\n\t"); }

}  // namespace civitas
