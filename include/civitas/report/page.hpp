#pragma once
/// Pages in HTML that need nothing but themselves: no network, and all that they say without a
/// script. Readable on wide and narrow screens, light and dark, and by those who listen.
#include <string>
#include <string_view>
#include <vector>

namespace civitas::report {

/// Words as text and attributes of HTML and SVG have them.
[[nodiscard]] std::string escaped(std::string_view words);

/// A part of a page. `body` is HTML, the rest are words.
struct Section {
    std::string title;
    std::string about;  ///< how to read it; may be empty
    std::string body;
};

/// What stands at the top of a page, words.
struct PageHead {
    std::string title;
    std::string subtitle;
    std::string foot = {};  ///< below everything
};

[[nodiscard]] std::string page(const PageHead& head, const std::vector<Section>& sections);

/// Words, a line of a table each; the first cell of a row is its name, the others are figures.
struct Table {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
    bool of_words = false;  ///< the other cells are words
};
[[nodiscard]] std::string to_html(const Table& table);

/// A paragraph that stands out, and paragraphs below it.
[[nodiscard]] std::string callout(const std::string& words, const std::vector<std::string>& below);

}  // namespace civitas::report
