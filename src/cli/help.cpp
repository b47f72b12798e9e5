#include "entry.hpp"

#include "civitas/base/text.hpp"

#include <algorithm>
#include <sstream>

namespace civitas::cli {
namespace {

constexpr std::size_t page = 100;

std::string left_column(const Entry& entry) {
    if (entry.positional) return "  " + entry.name + "...";
    const std::string& value = entry.spelling.placeholder;
    return "  --" + entry.name + (value.empty() ? "" : " " + value);
}

std::string default_text(const Entry& entry) {
    if (entry.required) return "(required)";
    if (entry.is_switch && entry.show().front() == "false") return "";
    const std::string list = join(entry.show(), ", ");
    return list.empty() ? "" : "[" + list + "]";
}

/// Words in lines that end before the page does; lines after the first start at `indent`.
std::string wrap(const std::string& words, std::size_t indent) {
    std::istringstream in(words);
    std::string out;
    std::size_t column = indent;
    for (std::string word; in >> word;) {
        if (column != indent && column + 1 + word.size() > page) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column != indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

}  // namespace

std::string help_text(const std::string& usage, const std::vector<Entry>& entries) {
    std::size_t indent = 0;
    for (const auto& entry : entries) indent = std::max(indent, left_column(entry).size() + 2);
    std::string out = usage + '\n';
    std::string section;
    for (const auto& entry : entries) {
        if (&entry == entries.data() || entry.section != section)
            out += '\n' + (entry.section.empty() ? "" : entry.section + '\n');
        section = entry.section;
        std::string left = left_column(entry);
        left.resize(indent, ' ');
        out += left + wrap(entry.help + ' ' + default_text(entry), indent) + '\n';
    }
    return out;
}

}  // namespace civitas::cli
