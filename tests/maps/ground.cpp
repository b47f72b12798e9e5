#include "preprocess/maps/ground.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/random/stream.hpp"
#include "preprocess/maps/cutting.hpp"
#include "preprocess/maps/selection.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace civitas;
using namespace civitas::maps;
using data::Split;

TEST_CASE("tiles lie at multiples of the stride and cover the ground") {
    const Grid grid({250, 250}, Box{1010, 490, 1510, 1010});
    CHECK(grid.block().columns == Range{4, 3});
    CHECK(grid.block().rows == Range{-5, 4});
    CHECK(grid.upper_left(0).x == 1000);
    CHECK(grid.upper_left(0).y == 1250);
    CHECK(grid.upper_left(grid.cells() - 1).x == 1500);
    CHECK(grid.upper_left(grid.cells() - 1).y == 500);
}

TEST_CASE("a border on a line of the grid adds no tile") {
    const Grid grid({250, 250}, Box{1000, 500, 1500, 1000});
    CHECK(grid.cells() == 4);
    CHECK(grid.touching(Box{1250, 500, 1500, 750}).columns == Range{5, 1});
    CHECK(grid.touching(Box{1250, 500, 1500, 750}).rows == Range{-3, 1});
}

TEST_CASE("overlapping tiles that share ground with a box are all found") {
    const Grid grid({250, 62.5}, Box{0, 0, 1000, 1000});
    const Box box{500.5, 500.5, 501, 501};
    const auto block = grid.touching(box);
    std::int64_t expected = 0;
    for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
        const auto corner = grid.upper_left(cell);
        expected += corner.x < box.max_x && corner.x + 250 > box.min_x && corner.y > box.min_y &&
                            corner.y - 250 < box.max_y
                        ? 1
                        : 0;
    }
    CHECK(block.columns.count * block.rows.count == expected);
    CHECK(expected == 16);
}

TEST_CASE("absurd maps are refused") {
    CHECK_THROWS_WITH(Grid({250, 250}, Box{0, 0, 1e9, 1e9}), Catch::Contains("stray coordinates"));
    CHECK_THROWS_AS(Grid({250, 250}, Box{0, 0, 1e8, 1e8}), Error);
}

namespace {

/// About half of the tiles of a town of 5 km, drawn by number.
std::vector<Point> some_tiles(double stride) {
    const Grid grid({250, stride}, Box{2600000, 1200000, 2605000, 1205000});
    const RandomStream numbers(Seed{3}, Purpose::metric, {});
    std::vector<Point> corners;
    for (std::int64_t cell = 0; cell < grid.cells(); ++cell)
        if (numbers.uniform(static_cast<std::uint64_t>(cell)) < 0.5)
            corners.push_back(grid.upper_left(cell));
    return corners;
}

bool overlap(Point a, Point b) { return std::abs(a.x - b.x) < 250 && std::abs(a.y - b.y) < 250; }

double share_of_test(const std::vector<std::optional<Split>>& splits) {
    double test = 0, all = 0;
    for (const auto& split : splits) {
        if (!split) continue;
        ++all;
        test += *split == Split::test ? 1 : 0;
    }
    return test / all;
}

}  // namespace

TEST_CASE("no ground is in both train and test") {
    for (const double stride : {62.5, 100.0, 125.0, 250.0}) {
        const auto corners = some_tiles(stride);
        const auto splits = split_ground(corners, 250, 0.1);
        std::int64_t shared = 0, out = 0;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            if (!splits[i]) ++out;
            for (std::size_t j = i + 1; j < corners.size(); ++j)
                if (splits[i] && splits[j] && *splits[i] != *splits[j] &&
                    overlap(corners[i], corners[j]))
                    ++shared;
        }
        CHECK(shared == 0);
        CHECK((stride == 250) == (out == 0));
        CHECK(share_of_test(splits) == Approx(0.1).margin(0.04));
    }
}

TEST_CASE("the split does not depend on the order of the tiles") {
    auto corners = some_tiles(125);
    const auto forward = split_ground(corners, 250, 0.2);
    std::reverse(corners.begin(), corners.end());
    auto backward = split_ground(corners, 250, 0.2);
    std::reverse(backward.begin(), backward.end());
    CHECK(forward == backward);
}

TEST_CASE("a small map still has test ground, a share of 0 has none") {
    const std::vector<Point> two{{0, 0}, {1000, 0}};
    const auto splits = split_ground(two, 250, 0.1);
    CHECK(splits[0] != splits[1]);
    CHECK(share_of_test(split_ground(two, 250, 0)) == 0);
    const std::vector<Point> one{{0, 0}};
    CHECK(split_ground(one, 250, 0.5)[0] == Split::train);
    CHECK(split_ground({}, 250, 0.1).empty());
}

TEST_CASE("the variance quantile leaves out the flattest share") {
    const std::vector<float> variances{5, 1, 4, 2, 3, 9, 7, 8, 6, 10};
    CHECK(variance_threshold(variances, 0) == 1);
    CHECK(variance_threshold(variances, 0.25) == 3);  // 2 of 10 lie below
    CHECK(variance_threshold(variances, 0.5) == 6);
    CHECK(variance_threshold(variances, 0.99) == 10);
    CHECK(variance_threshold({}, 0.5) == 0);
}

TEST_CASE("variance is that of the grey coding") {
    CHECK(data::variance_of({100, 0, 0}) == 0);
    CHECK(data::variance_of({50, 0, 50}) == Approx(0.25));
    CHECK(data::variance_of({0, 50, 50}) == Approx(0.0625));
}
