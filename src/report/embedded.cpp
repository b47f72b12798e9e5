#include "civitas/report/embedded.hpp"

#include "civitas/report/page.hpp"

#include <cstdint>

namespace civitas::report {

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string words;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = i; k < i + 3; ++k)
            three =
                three << 8U | (k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U);
        for (unsigned k = 0; k < 4; ++k) words += letters[three >> (18 - 6 * k) & 63U];
    }
    for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) words[words.size() - 1 - k] = '=';
    return words;
}

std::string embedded(std::string_view type, std::span<const std::byte> file, std::string_view alt) {
    return "<img alt=\"" + escaped(alt) + "\" src=\"data:" + std::string(type) + ";base64," +
           base64(file) + "\"/>";
}

}  // namespace civitas::report
