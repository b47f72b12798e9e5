#include "civitas/report/gantt.hpp"

#include "support/agree.hpp"

#include <sstream>

using namespace civitas;
using namespace civitas::report;

namespace {

Gantt sample() {
    return {.title = "a <title> & more",
            .subtitle = "below",
            .kinds = {{"forward", 'F', {200, 220, 255}},
                      {"backward", 'B', {20, 40, 120}},
                      {"never", 'N', {0, 0, 0}}},
            .rows = {{"one", {{0, 0.5, 0, "0", "first"}, {0.5, 0.75, 1, "0", "second"}}},
                     {"two",
                      {{0.75, 1, 0,
                        "1234567890123456789012345678901234567890123456789"
                        "1234567890123456789012345678901234567890",
                        "wide"}}}}};
}

std::vector<std::string> lines_of(const std::string& words) {
    std::istringstream in(words);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::size_t count(const std::string& words, const std::string& what) {
    std::size_t found = 0;
    for (auto at = words.find(what); at != std::string::npos; at = words.find(what, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("rows of a Gantt text fill the columns, each character its share of the time") {
    const auto lines = lines_of(to_text(sample(), 44));
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "one " + std::string(20, 'F') + std::string(10, 'B') + std::string(10, '.'));
    CHECK(lines[1] == "two " + std::string(30, '.') + std::string(10, 'F'));
    CHECK(lines[2].substr(4, 5) == "|0 ms");
    CHECK(lines[3] == "F forward  B backward  . idle");
    for (const auto& line : lines) CHECK(line.size() <= 44);
}

TEST_CASE("a slot shows what fills most of it") {
    Gantt gantt = sample();
    gantt.rows = {{"x", {{0, 0.6, 0, "", ""}, {0.6, 1, 1, "", ""}, {1, 42, 0, "", ""}}}};
    CHECK(lines_of(to_text(gantt, 44))[0] == "x " + std::string(42, 'F'));
    gantt.rows = {{"x", {{0, 0.4, 0, "", ""}, {41, 42, 0, "", ""}}}};
    CHECK(lines_of(to_text(gantt, 44))[0] == "x " + std::string(41, '.') + "F");
}

TEST_CASE("what goes on beside a row has a lane of its own below it") {
    Gantt gantt = sample();
    const std::string alone = to_svg(gantt);
    gantt.rows[0].beside = {{0.25, 0.5, 2, "", "third"}, {1, 2, 2, "", "fourth"}};
    CHECK(gantt.end_s() == 2);
    CHECK(gantt.kinds_used() == std::vector<std::size_t>{0, 1, 2});
    const auto lines = lines_of(to_text(gantt, 44));
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "one " + std::string(10, 'F') + std::string(5, 'B') + std::string(25, '.'));
    CHECK(lines[1] == "    " + std::string(5, '.') + std::string(5, 'N') + std::string(10, '.') +
                          std::string(20, 'N'));
    CHECK(lines[2].substr(0, 4) == "two ");
    const std::string svg = to_svg(gantt);
    CHECK(count(svg, "<title>fourth</title>") == 1);
    CHECK(count(svg, R"(height="40.00")") == count(alone, R"(height="40.00")"));
    CHECK(count(svg, R"(height="9.00")") == 1 + 2);  // the lane and its boxes
}

TEST_CASE("ticks stand at round times") {
    CHECK(tick_step(1, 10) == Approx(0.1));
    CHECK(tick_step(0.9, 10) == Approx(0.1));
    CHECK(tick_step(1.1, 10) == Approx(0.2));
    CHECK(tick_step(26, 10) == Approx(5));
    CHECK(tick_step(70, 10) == Approx(10));
    CHECK(time_text(0.0125, 0.5) == "12.5 ms");
    CHECK(time_text(3.25, 5) == "3.25 s");
    CHECK(time_text(0.0004, 0.001) == "400 us");
}

TEST_CASE("a picture has a box per span, its label where it fits, and safe words") {
    const std::string svg = to_svg(sample());
    CHECK(svg.find("a &lt;title&gt; &amp; more") != std::string::npos);
    CHECK(count(svg, "<title>first</title>") == 1);
    CHECK(count(svg, "1234567890123") == 0);
    CHECK(count(svg, "#c8dcff") == 2 + 1);  // two boxes and the legend
    CHECK(count(svg, ">never<") == 0);
    CHECK(svg.rfind("</svg>\n") == svg.size() - 7);
}
