#include "origin.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace civitas::cli {
namespace {

constexpr std::string_view dashes = "--";

bool is_inside(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; }

/// Whether a word that ends here ends: "batch" in "batches" does, in "batch-size" it does not.
bool ends_here(std::string_view rest) {
    for (const std::string_view plural : {"es", "s"})
        if (rest.starts_with(plural)) rest.remove_prefix(plural.size());
    return rest.empty() || !is_inside(rest.front());
}

/// A number is not found in a longer one.
bool is_number_on(std::string_view rest) {
    return rest.size() > 1 && rest[0] == '.' && std::isdigit(static_cast<unsigned char>(rest[1]));
}

bool says(std::string_view words, std::string_view what) {
    if (what.empty()) return false;
    for (auto at = words.find(what); at != words.npos; at = words.find(what, at + 1)) {
        const std::string_view rest = words.substr(at + what.size());
        const bool begins = at == 0 || !is_inside(words[at - 1]);
        if (begins && ends_here(rest) && !is_number_on(rest)) return true;
    }
    return false;
}

bool is_about(std::string_view words, const IniLine& line) {
    const std::string option = std::string(dashes) + line.name;
    return says(words, option) || ((says(words, line.name)) && says(words, line.value));
}

/// `batch` of `--batch=8`; nothing for other words.
std::string_view name_in(std::string_view word) {
    if (!word.starts_with(dashes)) return {};
    word.remove_prefix(dashes.size());
    return word.substr(0, word.find('='));
}

}  // namespace

std::string config_of(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (name_in(words[i]) != "config") continue;
        const auto equals = words[i].find('=');
        if (equals != std::string::npos) return words[i].substr(equals + 1);
        return i + 1 < words.size() ? words[i + 1] : "";
    }
    return "";
}

std::vector<IniLine> in_force(std::vector<IniLine> lines, const std::vector<std::string>& words) {
    std::erase_if(lines, [&](const IniLine& line) {
        return std::any_of(words.begin(), words.end(),
                           [&](const std::string& word) { return name_in(word) == line.name; });
    });
    return lines;
}

std::string with_origin(const std::string& error, const std::vector<IniLine>& lines) {
    const std::string before_hint = ". Hint: ";
    const auto end = std::min(error.find(before_hint), error.size());
    const std::string_view message = std::string_view(error).substr(0, end);
    std::string origin;
    for (const IniLine& line : lines) {
        if (message.find(line.place) != message.npos || !is_about(message, line)) continue;
        origin +=
            text(origin.empty() ? " (" : ", ", line.place, ": ", line.name, " = ", line.value);
    }
    return origin.empty() ? error : text(message, origin, ')', error.substr(end));
}

}  // namespace civitas::cli
