#include "ini.hpp"

#include "civitas/base/trim.hpp"
#include "civitas/cli/options.hpp"

#include <array>
#include <fstream>
#include <optional>

namespace civitas::cli {
namespace {

std::string trim(const std::string& words) { return std::string(trimmed(words)); }

std::string without_comment(const std::string& value) {
    for (std::size_t at = value.find('#'); at != std::string::npos; at = value.find('#', at + 1))
        if (at == 0 || value[at - 1] == ' ' || value[at - 1] == '\t')
            return trim(value.substr(0, at));
    return value;
}

/// The text between quotes, or nothing when they are not closed or something but a comment follows.
std::optional<std::string> unquote(const std::string& value) {
    std::string inside;
    for (std::size_t i = 1; i < value.size(); ++i) {
        if (value[i] == '"') {
            const std::string rest = trim(value.substr(i + 1));
            if (!rest.empty() && rest[0] != '#') return std::nullopt;
            return inside;
        }
        if (value[i] == '\\' && i + 1 < value.size()) {
            ++i;
            inside += value[i] == 'n' ? '\n' : value[i];
        } else {
            inside += value[i];
        }
    }
    return std::nullopt;
}

IniLine parse_line(const std::string& line, const std::string& place) {
    const auto equals = line.find('=');
    const std::string name = trim(line.substr(0, equals));
    if (equals == std::string::npos || name.empty())
        throw UsageError(text(place, ": \"", line, "\" is no line of the form name = value"),
                         Hint{"batch = 8, or # before a remark"});
    const std::string value = trim(line.substr(equals + 1));
    if (value.empty() || value[0] != '"') return {name, without_comment(value), place};
    const auto inside = unquote(value);
    if (!inside)
        throw UsageError(text(place, ": the quotes of ", name, " do not match: ", value),
                         Hint{"name = \"value\" in one line, with \\\" for a quote inside"});
    return {name, *inside, place};
}

/// Editors of other systems put a mark in front of UTF-8, or write two bytes a letter.
void require_utf8(std::string& line, const std::string& place) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (line.starts_with(mark)) line.erase(0, mark.size());
    const bool wide = line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF");
    if (wide || line.find('\0') != std::string::npos)
        throw UsageError(
            text(place, wide ? ": this is UTF-16" : ": there is a byte 0", ", no text in UTF-8"),
            Hint{wide ? "iconv -f UTF-16 -t UTF-8 OLD.ini > NEW.ini" : "write the file again"});
}

}  // namespace

std::vector<IniLine> read_ini(std::istream& in, const std::string& name) {
    std::vector<IniLine> lines;
    int number = 0;
    for (std::string raw; std::getline(in, raw);) {
        ++number;
        require_utf8(raw, text(name, ':', number));
        const std::string line = trim(raw);
        if (line.empty() || line[0] == '#' || line[0] == ';') continue;
        lines.push_back(parse_line(line, text(name, ':', number)));
    }
    return lines;
}

std::optional<std::string> read_file(const std::filesystem::path& file) {
    constexpr std::size_t most = std::size_t{64} << 20;
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown) || std::filesystem::is_directory(file, unknown))
        return std::nullopt;
    std::ifstream in(file);
    std::string words;
    std::array<char, 4096> piece{};
    while (words.size() <= most && (in.read(piece.data(), piece.size()) || in.gcount() > 0))
        words.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (words.size() > most)
        throw UsageError(text(file.string(), " is larger than ", most, " bytes: no text of ours"));
    if (!in.is_open() || in.bad()) throw UsageError(text("cannot read ", file.string()));
    return words;
}

std::string ini_value(const std::string& value) {
    const bool plain = value == trim(value) && value.find('\n') == std::string::npos &&
                       (value.empty() || value[0] != '"') && value == without_comment(value);
    if (plain) return value;
    std::string quoted = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return quoted + '"';
}

}  // namespace civitas::cli
