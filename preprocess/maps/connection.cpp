#include "connection.hpp"

#include "words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace civitas::maps {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> connections{
    {{"pg:", "PostgreSQL"}, {"postgresql:", "PostgreSQL"}, {"wfs:", "WFS"}}};

bool is_postgresql(const std::string& words) {
    const char* driver = driver_of_connection(words);
    return driver != nullptr && std::string_view(driver) == "PostgreSQL";
}

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

/// Whether the word behind the blanks at `at` is an option: `name=value`.
bool option_follows(const std::string& words, std::size_t at) {
    const auto begin = std::min(words.find_first_not_of(" \t", at), words.size());
    const auto end = std::min(words.find_first_of(" \t", begin), words.size());
    return begin == end || words.substr(begin, end - begin).find('=') != std::string::npos;
}

/// Where a secret ends that begins at `at`. A connection to PostgreSQL holds options alone, so that
/// one with blanks that lacks its quotes goes on until the next.
std::size_t end_of_secret(const std::string& words, std::size_t at, bool of_address) {
    auto end = end_of_value(words, at, of_address);
    if (of_address || !is_postgresql(words)) return end;
    while (!option_follows(words, end))
        end = end_of_value(words, words.find_first_not_of(" \t", end), false);
    return end;
}

/// Whether a word has begun the options of an address before `at`.
bool in_address(const std::string& words, std::size_t at) {
    const auto question = words.rfind('?', at), blank = words.find_last_of(" \t", at);
    return question != std::string::npos && (blank == std::string::npos || blank < question);
}

/// Words of which parts become `***`.
struct Hiding {
    std::string words;
    std::vector<std::string> hidden = {};

    void hide(std::size_t begin, std::size_t end) {
        hidden.push_back(words.substr(begin, end - begin));
        words.replace(begin, end - begin, "***");
    }
};

void hide_option(Hiding& hiding, std::string_view option) {
    const auto& words = hiding.words;
    for (auto at = lower(words).find(option); at != std::string::npos;
         at = lower(words).find(option, at + option.size())) {
        auto value = words.find_first_not_of(" \t", at + option.size());
        if (value == std::string::npos || words[value] != '=') continue;
        value = std::min(words.find_first_not_of(" \t", value + 1), words.size());
        hiding.hide(value, end_of_secret(words, value, in_address(words, at)));
    }
}

/// The `@` before the host of the address that begins at `begin`. Passwords that hold what should
/// be written as %40, %2F or %3F are believed to go on to the last `@`: rather a part of a path is
/// hidden than one of theirs is shown.
std::size_t before_host(const std::string& words, std::size_t begin, std::size_t colon) {
    const auto authority = words.substr(begin, words.find_first_of("/ \t?#\"", begin) - begin);
    const auto port = words.find_first_not_of("0123456789", colon + 1);
    const bool plain = authority.find('@') == std::string::npos;
    if (plain && std::min(port, words.size()) >= begin + authority.size()) return begin;
    const auto end = words.find_first_of(plain ? " \t\"" : " \t?#\"", begin);
    const auto at = words.rfind('@', end);
    return at == std::string::npos ? begin : std::max(at, begin);
}

void hide_in_addresses(Hiding& hiding) {
    const auto& words = hiding.words;
    for (auto at = words.find("//"); at != std::string::npos; at = words.find("//", at + 2)) {
        const auto colon = words.find(':', at + 2);
        if (colon == std::string::npos) return;
        const auto host = before_host(words, at + 2, colon);
        if (colon < host) hiding.hide(colon + 1, host);
    }
}

Hiding hiding_of(const std::string& words) {
    Hiding hiding{words};
    for (const std::string_view option :
         {"password", "passwd", "pwd", "token", "apikey", "api_key", "secret"})
        hide_option(hiding, option);
    hide_in_addresses(hiding);
    return hiding;
}

bool is_of_word(const std::string& words, std::size_t at) {
    return at < words.size() && std::isalnum(static_cast<unsigned char>(words[at])) != 0;
}

/// Wherever it stands as a word or words: of a short one the letters stand in others.
void hide_everywhere(std::string& words, const std::string& secret) {
    for (auto at = words.find(secret); at != std::string::npos; at = words.find(secret, at)) {
        const auto end = at + secret.size();
        const bool within = (at > 0 && is_of_word(words, at - 1) && is_of_word(secret, 0)) ||
                            (is_of_word(words, end) && is_of_word(secret, secret.size() - 1));
        if (!within) words.replace(at, secret.size(), "***");
        at += within ? 1 : 3;
    }
}

}  // namespace

const char* driver_of_connection(const std::string& input) {
    const auto begin = lower(input.substr(0, std::string_view("postgresql:").size()));
    const auto* known = std::find_if(connections.begin(), connections.end(),
                                     [&](const auto& c) { return begin.starts_with(c.first); });
    return known == connections.end() ? nullptr : known->second;
}

std::string without_secrets(const std::string& words) { return hiding_of(words).words; }

std::vector<std::string> secrets_of(const std::string& connection) {
    std::vector<std::string> secrets;
    const auto add = [&](const std::string& secret) {
        if (!secret.empty() && secret != "***") secrets.push_back(secret);
    };
    for (const auto& whole : hiding_of(connection).hidden) {
        add(whole);
        const auto bare = whole.starts_with('\'') ? whole.substr(1, whole.size() - 2) : whole;
        for (std::size_t begin = 0; begin <= bare.size();) {
            const auto end = std::min(bare.find_first_of("@/:?# \t", begin), bare.size());
            add(bare.substr(begin));
            add(bare.substr(0, end));
            add(bare.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    std::sort(secrets.begin(), secrets.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return secrets;
}

std::string without(const std::vector<std::string>& secrets, const std::string& words) {
    auto hidden = without_secrets(words);
    for (const auto& secret : secrets) hide_everywhere(hidden, secret);
    return hidden;
}

}  // namespace civitas::maps
