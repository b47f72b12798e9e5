#include "civitas/report/test_scores.hpp"

#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <limits>

using namespace civitas;
using namespace civitas::report;

namespace {

constexpr TestScores good{.tiles = 812, .loss = 0.3125, .first = 0.9125, .top_five = 1};

std::string line(int step) {
    return "{\"step\":" + std::to_string(step) +
           ",\"tiles\":812,\"loss\":0.3125,\"top1\":0.9125,\"top5\":1.0}\n";
}

}  // namespace

TEST_CASE("scores are told in words") {
    CHECK(in_words(good) == "812 tiles: loss 0.312, top-1 91.2 %, top-5 100.0 %");
}

TEST_CASE("the line of a step takes the place of those of later steps, and of torn ones") {
    const test::TemporaryFolder folder("test-scores");
    const auto file = folder.path() / "test.jsonl";
    CHECK(!last_scores(file));
    keep_line(file, 4, good);
    CHECK(test::content(file) == line(4));
    CHECK(last_scores(file)->tiles == good.tiles);
    keep_line(file, 8, good);
    keep_line(file, 12, good);
    CHECK(test::content(file) == line(4) + line(8) + line(12));
    std::ofstream(file, std::ios::app) << "{\"step\":13,\"ti";
    CHECK_THROWS_WITH(last_scores(file), Catch::Contains("test.jsonl\" ends with a line"));
    keep_line(file, 8, good);
    CHECK(test::content(file) == line(4) + line(8));
    keep_line(file, 9, {3, 0.5, 0.25, 1});
    CHECK(last_scores(file)->loss == 0.5);
    CHECK(last_scores(file)->first == 0.25);
    CHECK(last_scores(file)->top_five == 1);
    keep_line(file, 10, {3, std::numeric_limits<double>::quiet_NaN(), 0.25, 1});
    CHECK(has_line(file, 10));
    CHECK_FALSE(has_line(file, 11));
    CHECK_FALSE(has_line(folder.path() / "none", 10));
    CHECK(std::isnan(last_scores(file)->loss));
    CHECK(last_scores(file)->top_five == 1);
    remove_lines_from(file, 9);
    CHECK(test::content(file) == line(4) + line(8));
    remove_lines_from(folder.path() / "none", 9);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "none"));
}
