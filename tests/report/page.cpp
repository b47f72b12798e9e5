#include "civitas/report/page.hpp"

#include "civitas/report/bars.hpp"
#include "civitas/report/embedded.hpp"
#include "support/agree.hpp"

#include <cmath>
#include <regex>

using namespace civitas;
using namespace civitas::report;

namespace {

/// The elements of a page that are open at its end, and at any that is closed before it was opened.
std::string unbalanced(const std::string& html) {
    static const std::regex tag(R"(<(/?)([a-z0-9]+)((?:[^>"]|"[^"]*")*?)(/?)>)");
    std::vector<std::string> open;
    for (auto it = std::sregex_iterator(html.begin(), html.end(), tag);
         it != std::sregex_iterator(); ++it) {
        const std::string name = (*it)[2];
        if (!(*it)[4].str().empty()) continue;
        if ((*it)[1].str().empty()) {
            open.push_back(name);
        } else if (open.empty() || open.back() != name) {
            return "stray </" + name + ">";
        } else {
            open.pop_back();
        }
    }
    return open.empty() ? "" : "open <" + open.back() + ">";
}

BarChart chart() {
    return {.kinds = {"a <b>", "c"},
            .bars = {{.label = "x & y", .parts = {1, 3}, .value = "4 m"},
                     {.label = "z",
                      .parts = {2, 0},
                      .value = "2 m",
                      .range = std::pair{1.0, 5.0},
                      .mark = 2.5,
                      .stands_out = true}},
            .range = "least to most",
            .mark = "hoped for"};
}

std::string encoded(const std::string& words) { return base64(std::as_bytes(std::span(words))); }

std::size_t count(const std::string& words, const std::string& what) {
    std::size_t found = 0;
    for (auto at = words.find(what); at != std::string::npos; at = words.find(what, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("words are words wherever they stand") {
    CHECK(escaped("<a href=\"x\">&</a>") == "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
    const std::string html = page({.title = "<t>", .subtitle = "<s>", .foot = "<f>"},
                                  {{"<h>", "<a>", to_html(Table{{"<c>"}, {{"<r>", "<v>"}}})},
                                   {"h", "", callout("<w>", {"<b>"})}});
    for (const char* word : {"t", "s", "f", "h", "a", "c", "r", "v", "w", "b"}) {
        CAPTURE(word);
        CHECK(count(html, std::string("&lt;") + word + "&gt;") >= 1);
    }
    CHECK(unbalanced(html).find("stray") == std::string::npos);
}

TEST_CASE("a page is whole, and needs nothing from elsewhere") {
    std::string html = page({.title = "t", .subtitle = "s"}, {{"h", "a", to_html(chart())}});
    CHECK(html.starts_with("<!DOCTYPE html>\n"));
    CHECK(unbalanced(html.substr(html.find('\n'))).empty());
    CHECK(html.find("http") == std::string::npos);
    CHECK(html.find("url(") == std::string::npos);
    CHECK(unbalanced("<p><b></p></b>") == "stray </p>");
}

TEST_CASE("bars are drawn on one axis") {
    CHECK(chart().end() == 5);
    const std::string html = to_html(chart());
    CHECK(count(html, "<svg class=\"bar\"") == 2);
    // The first is 1 and 3 of 5, the second 2 with nothing behind it.
    CHECK_THAT(html,
               Catch::Contains(R"(class="part k0" x="0.000%" y="15%" width="20.000%")") &&
                   Catch::Contains(R"(class="part k1" x="20.000%" y="15%" width="60.000%")") &&
                   Catch::Contains(R"(class="part k0" x="0.000%" y="15%" width="40.000%")"));
    CHECK(count(html, "class=\"part") == 3);
    CHECK_THAT(html, Catch::Contains(R"(class="range" x1="20.000%" x2="100.000%")") &&
                         Catch::Contains(R"(class="mark" x="50.000%")"));
    CHECK_THAT(html, Catch::Contains(R"(aria-label="x &amp; y: 4 m; a &lt;b&gt; 1; c 3")"));
    CHECK(count(html, "class=\"key\"") == 4);
    CHECK(count(html, "row best") == 1);
}

TEST_CASE("what cannot be drawn is left out") {
    BarChart nothing{.kinds = {"a"}, .bars = {{.label = "x", .parts = {0}, .value = "0"}}};
    CHECK(count(to_html(nothing), "<rect") == 0);
    nothing.bars.front().parts = {std::nan("")};
    CHECK(count(to_html(nothing), "<rect") == 0);
    CHECK(count(to_html(nothing), "class=\"legend\"") == 0);
    CHECK(to_html(nothing).find("nan") == std::string::npos);
}

TEST_CASE("base 64 is that of RFC 4648") {
    CHECK(encoded("").empty());
    CHECK(encoded("f") == "Zg==");
    CHECK(encoded("fo") == "Zm8=");
    CHECK(encoded("foo") == "Zm9v");
    CHECK(encoded("foob") == "Zm9vYg==");
    CHECK(encoded("fooba") == "Zm9vYmE=");
    CHECK(encoded("foobar") == "Zm9vYmFy");
    CHECK(encoded("\xff\xfe") == "//4=");
}

TEST_CASE("a picture is part of its page, whatever is in it") {
    const std::string svg = "<svg id=\"a\"><script>b</script></svg>";
    const std::string html = embedded("image/svg+xml", std::as_bytes(std::span(svg)), "<alt>");
    CHECK(html ==
          R"(<img alt="&lt;alt&gt;" src="data:image/svg+xml;base64,)" + encoded(svg) + "\"/>");
}
