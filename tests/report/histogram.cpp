#include "civitas/report/histogram.hpp"

#include "support/agree.hpp"

#include <regex>

using namespace civitas;
using namespace civitas::report;

namespace {

Histogram histogram() {
    return {.x_name = "share <",
            .y_name = "tiles",
            .low = 0,
            .high = 0.4,
            .kinds = {"kept", "left & out"},
            .bins = {{0, 3}, {2, 1}, {0, 0}, {4, 0}},
            .mark = 0.1,
            .mark_name = "least"};
}

}  // namespace

TEST_CASE("a histogram has a bar for each count, one above the other") {
    const std::string html = to_html(histogram());
    const std::regex bar(
        R"re(part k(\d)" x="([\d.]+)" width="250.0" y="([\d.]+)" height="([\d.]+)")re");
    std::vector<std::string> drawn;
    for (auto it = std::sregex_iterator(html.begin(), html.end(), bar);
         it != std::sregex_iterator(); ++it)
        drawn.push_back(it->str(1) + " at " + it->str(2) + ": " + it->str(3) + " + " + it->str(4));
    // Four tiles reach the highest tick.
    CHECK(drawn == std::vector<std::string>{"1 at 0.0: 250.0 + 750.0", "0 at 250.0: 500.0 + 500.0",
                                            "1 at 250.0: 250.0 + 250.0",
                                            "0 at 750.0: 0.0 + 1000.0"});
    CHECK_THAT(html, Catch::Contains("kept: 6<") && Catch::Contains("left &amp; out: 4<") &&
                         Catch::Contains(R"(class="mark" x1="250.0" x2="250.0")") &&
                         Catch::Contains(">least<") && Catch::Contains("share &lt;"));
    CHECK_THAT(html, Catch::Contains(R"(<span style="left:50.0%">0.2</span>)"));
}

TEST_CASE("a histogram of nothing is none, a mark beyond its end stands there") {
    Histogram of = histogram();
    of.mark = 7;
    CHECK_THAT(to_html(of), Catch::Contains(R"(class="mark" x1="1000.0")"));
    of.mark.reset();
    CHECK(to_html(of).find("mark") == std::string::npos);
    of.bins = {{0, 0}};
    CHECK(to_html(of).empty());
}
