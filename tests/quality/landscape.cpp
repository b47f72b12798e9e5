#include "quality/landscape.hpp"

#include "drawn.hpp"
#include "quality/components.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace civitas::quality;
using civitas::test::mask_of;

TEST_CASE("components are of pixels that share sides, or corners too") {
    const Mask mask = mask_of({"#..#",  //
                               "##..",  //
                               "..#.",  //
                               "...#"});
    const auto four = components_of(mask, Neighbours::four);
    REQUIRE(four.size() == 4);
    CHECK(four[0].size() == 3);
    CHECK((four[1][0].x == 3 && four[1][0].y == 0));
    const auto eight = components_of(mask, Neighbours::eight);
    REQUIRE(eight.size() == 2);
    CHECK(eight[0].size() == 5);
    CHECK(largest_share(eight) == Approx(5.0 / 6));
    CHECK(components_of(Mask(4), Neighbours::four).empty());
    CHECK(largest_share({}) == 0);
}

TEST_CASE("sides at the border are told apart from those inside") {
    const Sides sides = sides_of(mask_of({"##.", "#..", "..."}));
    CHECK(sides.inner == 4);
    CHECK(sides.border == 4);
}

TEST_CASE("landscape indices by their formulas") {
    // 8 x 8 pixels of 5 m, 0.16 hectares: a square of 3 x 3, and of 2 pixels that touch it by a
    // corner and 1 far away: patches of 11 and 1.
    const auto found = landscape_indices(mask_of({"........",  //
                                                  ".###....",  //
                                                  ".###....",  //
                                                  ".###....",  //
                                                  "....##..",  //
                                                  "........",  //
                                                  "........",  //
                                                  ".......#"}),
                                         5);
    CHECK(found.cover_percent == Approx(100 * 12 / 64.0));
    CHECK(found.patches == 2);
    CHECK(found.patch_density == Approx(100 * 2 / 0.16));
    CHECK(found.largest_percent == Approx(100 * 11 / 64.0));
    // Sides: 12 of the square, 6 of the pair, 4 of the single pixel, of which 2 are on the border.
    CHECK(found.edge_density == Approx(20 * 5 / 0.16));
    // The fewest sides of 12 pixels: of 3 x 4.
    REQUIRE(found.shape.size() == 1);
    CHECK(found.shape[0] == Approx(22 / 14.0));
    // Like adjacencies: 12 in the square, 1 in the pair; 3 x 4 has 17.
    REQUIRE(found.aggregation.size() == 1);
    CHECK(found.aggregation[0] == Approx(100 * 13 / 17.0));
    // 2 ln(0.25 p) / ln a of 90 m around 275 m2, and of 20 m around 25 m2, which is 1.
    REQUIRE(found.fractal.size() == 1);
    CHECK(found.fractal[0] == Approx((2 * std::log(90 / 4.0) / std::log(275) + 1) / 2));
}

TEST_CASE("a class that fills the tile is one compact patch, one that is not there has no shape") {
    const auto full = landscape_indices(mask_of({"####", "####", "####", "####"}), 2);
    CHECK(full.cover_percent == 100);
    CHECK(full.largest_percent == 100);
    CHECK(full.edge_density == 0);
    CHECK(full.shape == std::vector<double>{1});
    CHECK(full.aggregation == std::vector<double>{100});
    CHECK(full.fractal[0] == Approx(1));
    const auto none = landscape_indices(Mask(4), 2);
    CHECK(none.patches == 0);
    CHECK(none.largest_percent == 0);
    CHECK((none.shape.empty() && none.aggregation.empty() && none.fractal.empty()));
}

TEST_CASE("any area in its most compact form has the least shape and the best aggregation") {
    // Rows of a square fill up one after the other, then a column beside it.
    for (int area = 1; area <= 40; ++area) {
        Mask mask(8);
        int side = 1;
        while ((side + 1) * (side + 1) <= area) ++side;
        for (int i = 0; i < area; ++i) {
            const int over = i - side * side;
            if (over < 0)
                mask.put({i % side, i / side}, true);
            else
                mask.put(over < side ? Pixel{side, over} : Pixel{over - side, side}, true);
        }
        INFO(area);
        const auto found = landscape_indices(mask, 4);
        CHECK(found.shape[0] == Approx(1));
        if (area > 1) CHECK(found.aggregation[0] == Approx(100));
    }
}

TEST_CASE("patches below ten square metres have no fractal dimension") {
    CHECK(landscape_indices(mask_of({"#...", "....", "....", "..##"}), 2).fractal.empty());
    CHECK(landscape_indices(mask_of({"#...", "....", ".###", "...."}), 2).fractal.size() == 1);
}
