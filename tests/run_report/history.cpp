#include "civitas/run_report/history.hpp"

#include "run_report/configurations.hpp"
#include "support/agree.hpp"
#include "support/temporary.hpp"

#include <cmath>
#include <fstream>

using namespace civitas;
using namespace civitas::run_report;

TEST_CASE("lines are read by key and step, torn ones are counted") {
    const test::TemporaryFolder at("run_report");
    const auto& folder = at.path();
    const auto file = folder / "metrics.jsonl";
    std::ofstream(file) << R"({"step":1,"loss":2.5,"held":{"a":1},"name":"x"})" << '\n'
                        << R"({"step":2,"loss":null,"seconds":4})"
                        << "\n\n"
                        << R"({"loss":3})" << '\n'
                        << R"({"step":3,"loss":0.5,"seconds":2})" << '\n'
                        << R"({"step":4,"lo)";
    const History history = read_history(file);
    CHECK(history.lines == 3);
    CHECK(history.unreadable == 2);
    REQUIRE(history.of("loss").size() == 3);
    CHECK(history.of("loss")[0].x == 1);
    CHECK(history.of("loss")[0].y == 2.5);
    CHECK(std::isnan(history.of("loss")[1].y));
    CHECK(history.last("loss") == 0.5);
    CHECK(history.median("loss") == 2.5);
    CHECK(history.of("held").empty());
    CHECK(history.of("name").empty());
    CHECK(std::isnan(history.last("none")));
    CHECK(std::isnan(history.median("none")));
    CHECK(read_history(folder / "none.jsonl").lines == 0);
    CHECK_THROWS_WITH(read_history(folder / "."), Catch::Contains("cannot read"));
}

TEST_CASE("lines of ranks that make steps by themselves are put in order, their speed is of all") {
    const test::TemporaryFolder at("run_report");
    const auto file = at.path() / "metrics.jsonl";
    std::ofstream(file) << R"({"step":3,"seconds":4,"loss":3})" << '\n'
                        << R"({"step":1,"seconds":4,"loss":1,"steps_per_second":0})" << '\n'
                        << R"({"step":2,"seconds":4,"loss":2,"steps_per_second":0.5})" << '\n';
    const History history = read_history(file);
    CHECK(history.last("loss") == 3);
    const auto seconds = seconds_of_steps(history);
    REQUIRE(seconds.size() == 3);
    for (const std::size_t i : {0, 1, 2}) {
        CHECK(history.of("loss")[i].x == static_cast<double>(i + 1));
        CHECK(seconds[i].y == (i == 1 ? 2 : 4));
    }
}

TEST_CASE("ratios are of the same steps") {
    const auto points = ratio({{1, 6}, {2, 8}, {4, 1}}, {{1, 3}, {2, 2}, {3, 1}}, 10);
    REQUIRE(points.size() == 2);
    CHECK(points[0].y == 20);
    CHECK(points[1].y == 40);
}

TEST_CASE("options that differ are found by name") {
    const auto a = values_of("# a = comment\nsteps = 5\nnet = dcgan-64\n\nmesh =\n");
    const auto b = values_of("steps=6\nnet = dcgan-64\nmesh = \nseed = 1\n");
    CHECK(a.size() == 3);
    CHECK(a.at("mesh").empty());
    CHECK(differing({a, b}) == std::vector<std::string>{"seed", "steps"});
    CHECK(differing({a, a}).empty());
    CHECK(values_of("nothing\n= x\n").size() == 1);
}
