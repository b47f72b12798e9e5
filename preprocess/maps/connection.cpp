#include "connection.hpp"

#include "words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace civitas::maps {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> connections{
    {{"pg:", "PostgreSQL"}, {"postgresql:", "PostgreSQL"}, {"wfs:", "WFS"}}};

/// Where a value ends that begins at `at`: a quoted one behind its quote, an option of an address
/// (`?name=value&...`) before the next, another before a blank that no backslash is before.
std::size_t end_of_value(const std::string& words, std::size_t at, bool of_address) {
    if (of_address) return std::min(words.find_first_of(" \t&", at), words.size());
    const bool quoted = at < words.size() && words[at] == '\'';
    for (at += quoted ? 1 : 0; at < words.size(); ++at) {
        if (words[at] == '\\') {
            ++at;
        } else if (quoted && words[at] == '\'') {
            return at + 1;
        } else if (!quoted && (words[at] == ' ' || words[at] == '\t')) {
            return at;
        }
    }
    return words.size();
}

/// Whether a word has begun the options of an address before `at`.
bool in_address(const std::string& words, std::size_t at) {
    const auto question = words.rfind('?', at), blank = words.find_last_of(" \t", at);
    return question != std::string::npos && (blank == std::string::npos || blank < question);
}

void hide_option(std::string& words, std::string_view option) {
    for (auto at = lower(words).find(option); at != std::string::npos;
         at = lower(words).find(option, at + option.size())) {
        auto value = words.find_first_not_of(" \t", at + option.size());
        if (value == std::string::npos || words[value] != '=') continue;
        value = std::min(words.find_first_not_of(" \t", value + 1), words.size());
        words.replace(value, end_of_value(words, value, in_address(words, at)) - value, "***");
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
    for (const std::string_view option : {"password", "passwd", "pwd"}) hide_option(hidden, option);
    hide_in_addresses(hidden);
    return hidden;
}

std::string words_of_driver(const std::string& words, const std::string& input) {
    const auto hidden = without_secrets(input);
    if (std::count(input.begin(), input.end(), '@') > std::count(hidden.begin(), hidden.end(), '@'))
        return "what its driver says may tell a part of the password, which has an @ (%40 in "
               "addresses)";
    return without_secrets(words);
}

}  // namespace civitas::maps
