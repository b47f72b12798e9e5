#include "civitas/report/page.hpp"

#include "page_style.hpp"

#include <sstream>

namespace civitas::report {

std::string escaped(std::string_view words) {
    std::string safe;
    for (const char c : words) {
        switch (c) {
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '&': safe += "&amp;"; break;
            case '"': safe += "&quot;"; break;
            default: safe += c;
        }
    }
    return safe;
}

// The empty icon keeps browsers from asking a server for one.
std::string page(const PageHead& head, const std::vector<Section>& sections) {
    std::ostringstream out;
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        << "<link rel=\"icon\" href=\"data:,\"/>\n<title>" << escaped(head.title)
        << "</title>\n<style>\n"
        << page_style << "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>" << escaped(head.title)
        << "</h1>\n<p class=\"subtitle\">" << escaped(head.subtitle) << "</p>\n</header>\n";
    for (const Section& section : sections) {
        out << "<section>\n<h2>" << escaped(section.title) << "</h2>\n";
        if (!section.about.empty())
            out << "<p class=\"about\">" << escaped(section.about) << "</p>\n";
        out << section.body << "</section>\n";
    }
    if (!head.foot.empty()) out << "<footer>" << escaped(head.foot) << "</footer>\n";
    out << "</main>\n</body>\n</html>\n";
    return out.str();
}

std::string to_html(const Table& table) {
    std::ostringstream out;
    out << "<div class=\"wide\" tabindex=\"0\"><table" << (table.of_words ? " class=\"list\"" : "")
        << ">\n<thead><tr>";
    for (const std::string& cell : table.head)
        out << "<th scope=\"col\">" << escaped(cell) << "</th>";
    out << "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        out << "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            out << (i == 0 ? "<th scope=\"row\">" : "<td>") << escaped(row[i])
                << (i == 0 ? "</th>" : "</td>");
        out << "</tr>\n";
    }
    out << "</tbody>\n</table></div>\n";
    return out.str();
}

std::string callout(const std::string& words, const std::vector<std::string>& below) {
    std::string html = "<div class=\"callout\"><p class=\"first\">" + escaped(words) + "</p>\n";
    for (const std::string& paragraph : below) html += "<p>" + escaped(paragraph) + "</p>\n";
    return html + "</div>\n";
}

}  // namespace civitas::report
