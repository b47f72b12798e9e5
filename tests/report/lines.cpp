#include "civitas/report/lines.hpp"

#include "report/thinned.hpp"
#include "support/agree.hpp"

#include <cmath>

using namespace civitas;
using namespace civitas::report;

namespace {

std::vector<double> xs_of(const std::string& html, const std::string& before) {
    std::vector<double> values;
    for (auto at = html.find(before); at != std::string::npos; at = html.find(before, at + 1))
        values.push_back(std::stod(html.substr(at + before.size())));
    return values;
}

LineChart chart() {
    return {.x_name = "step",
            .y_name = "loss <",
            .lines = {{"D", {{1, 2}, {2, 4}, {3, 3}}}, {"G & H", {{1, 10}, {3, 0}}}}};
}

}  // namespace

TEST_CASE("ticks are round and cover an axis") {
    CHECK(ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(ticks(3, 3, 5).size() >= 2);
    CHECK(ticks(-1, 1, 4).front() == -1);
    for (const auto& [low, high] : {std::pair(0.013, 0.0871), std::pair(310.0, 331.9),
                                    std::pair(-3.2, 1e6), std::pair(0.0, 1e-9)}) {
        const auto all = ticks(low, high, 5);
        CHECK(all.front() <= low + 1e-12);
        CHECK(all.back() >= high - 1e-12);
        CHECK(all.size() >= 2);
        CHECK(all.size() <= 8);
    }
}

TEST_CASE("figures that hardly differ, or differ beyond all bounds, have few ticks") {
    for (const auto& [low, high] :
         {std::pair(0.9999999999999999, 1.0), std::pair(0.6931471805599453, 0.6931471805599454),
          std::pair(-1e308, 1e308), std::pair(0.0, 5e-324), std::pair(1e300, 1.1e300)}) {
        const auto all = ticks(low, high, 5);
        CHECK(all.size() >= 2);
        CHECK(all.size() <= 51);
        CHECK(all.front() < all.back());
        for (const double tick : all) CHECK(std::isfinite(tick));
    }
    const std::string html =
        to_html(LineChart{"x", "y", {{"a", {{1, 1.0}, {2, 0.9999999999999999}, {3, 1.0}}}}});
    CHECK(html.find("nan") == std::string::npos);
}

TEST_CASE("values on an axis are short") {
    CHECK(axis_text(0) == "0");
    CHECK(axis_text(0.25) == "0.25");
    CHECK(axis_text(2000) == "2000");
    CHECK(axis_text(15000) == "15 k");
    CHECK(axis_text(-2.5e6) == "-2500 k");
}

TEST_CASE("many points become few, with what they spread over") {
    std::vector<Point> points;
    for (int i = 0; i < 1000; ++i)
        points.push_back({i + 1.0, i % 10 == 0 ? std::nan("") : (i % 2 == 0 ? 1.0 : 3.0)});
    const auto bins = thinned(points, 90);
    REQUIRE(bins.size() == 90);
    CHECK(bins.front().least == 1);
    CHECK(bins.front().most == 3);
    CHECK(bins.front().mean == Approx(2.1).margin(0.15));
    CHECK(bins.back().x == 1000);
    const auto few = thinned({{1, 5}, {2, 7}}, 90);
    REQUIRE(few.size() == 2);
    CHECK(few[1].mean == 7);
    CHECK(few[1].least == 7);
    CHECK(thinned({}, 90).empty());
}

TEST_CASE("lines lie on one pair of axes") {
    const std::string html = to_html(chart());
    // From 0 to 10 upwards and from 1 to 3 to the right, on a plot of 1000 by 1000.
    CHECK_THAT(html, Catch::Contains(R"(class="mean l0" d="M0.0 800.0L500.0 600.0L1000.0 700.0")"));
    CHECK_THAT(html, Catch::Contains(R"(class="mean l1" d="M0.0 0.0L1000.0 1000.0")"));
    CHECK_THAT(html, Catch::Contains("loss &lt;") && Catch::Contains("G &amp; H"));
    CHECK_THAT(html, Catch::Contains("D from 2 to 3; G &amp; H from 10 to 0"));
    CHECK(xs_of(html, "style=\"bottom:").front() == 0);
    CHECK(xs_of(html, "style=\"bottom:").back() == 100);
    CHECK(html.find("class=\"level\"") == std::string::npos);
}

TEST_CASE("a level to compare with is always in sight") {
    LineChart marked = chart();
    marked.mark = 40;
    marked.mark_name = "planned";
    const std::string html = to_html(marked);
    CHECK_THAT(html,
               Catch::Contains(R"(<line class="level" x1="0" x2="1000" y1="0.0" y2="0.0"/>)"));
    CHECK_THAT(html, Catch::Contains("planned"));
}

TEST_CASE("a chart without points is left out, one point is drawn") {
    CHECK(to_html(LineChart{"x", "y", {}}).empty());
    CHECK(to_html(LineChart{"x", "y", {{"a", {{1, std::nan("")}}}}}).empty());
    const std::string html = to_html(LineChart{"x", "y", {{"a", {{7, 3}}}}});
    CHECK_THAT(html, Catch::Contains("M500.0"));
    CHECK(html.find("nan") == std::string::npos);
    CHECK(html.find("inf") == std::string::npos);
}
