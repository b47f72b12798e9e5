#include "connection.hpp"

#include "words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace civitas::maps {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> connections{
    {{"pg:", "PostgreSQL"}, {"postgresql:", "PostgreSQL"}, {"wfs:", "WFS"}}};

/// Where a value ends that begins at `at`: a quoted one behind its quote, another before a blank
/// or what parts options.
std::size_t end_of_value(const std::string& words, std::size_t at) {
    if (at < words.size() && words[at] == '\'') {
        for (++at; at < words.size() && words[at] != '\''; ++at)
            if (words[at] == '\\') ++at;
        return std::min(at + 1, words.size());
    }
    return std::min(words.find_first_of(" \t&;,\"", at), words.size());
}

void hide_options(std::string& words) {
    constexpr std::string_view option = "password";
    for (auto at = lower(words).find(option); at != std::string::npos;
         at = lower(words).find(option, at + option.size())) {
        auto value = words.find_first_not_of(" \t", at + option.size());
        if (value == std::string::npos || words[value] != '=') continue;
        value = std::min(words.find_first_not_of(" \t", value + 1), words.size());
        words.replace(value, end_of_value(words, value) - value, "***");
    }
}

void hide_in_addresses(std::string& words) {
    for (auto at = words.find("//"); at != std::string::npos; at = words.find("//", at + 2)) {
        const auto end = std::min(words.find_first_of("/ \t?#\"", at + 2), words.size());
        const auto host = words.rfind('@', end);
        const auto colon = words.find(':', at + 2);
        if (host == std::string::npos || host < at || colon == std::string::npos || colon > host)
            continue;
        words.replace(colon + 1, host - colon - 1, "***");
    }
}

}  // namespace

const char* driver_of_connection(const std::string& input) {
    const auto begin = lower(input.substr(0, std::string_view("postgresql:").size()));
    const auto* known = std::find_if(connections.begin(), connections.end(),
                                     [&](const auto& c) { return begin.starts_with(c.first); });
    return known == connections.end() ? nullptr : known->second;
}

std::string without_secrets(const std::string& words) {
    auto hidden = words;
    hide_options(hidden);
    hide_in_addresses(hidden);
    return hidden;
}

}  // namespace civitas::maps
