#include "civitas/quality/figures.hpp"
#include "civitas/quality/skeleton.hpp"
#include "drawn.hpp"
#include "quality/components.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <numbers>

using namespace civitas::quality;
using civitas::test::drawn;
using civitas::test::mask_of;

namespace {

/// A tile of 32 pixels with roads along some rows and columns, three pixels wide, from one pixel to
/// another.
struct Street {
    std::int64_t at = 0;  ///< its middle
    std::int64_t from = 0;
    std::int64_t to = 31;
};
Mask streets(const std::vector<Street>& rows, const std::vector<Street>& columns) {
    Mask mask(32);
    for (std::int64_t wide = -1; wide <= 1; ++wide) {
        for (const Street& s : rows)
            for (std::int64_t x = s.from; x <= s.to; ++x) mask.put({x, s.at + wide}, true);
        for (const Street& s : columns)
            for (std::int64_t y = s.from; y <= s.to; ++y) mask.put({s.at + wide, y}, true);
    }
    return mask;
}

std::map<std::string_view, std::vector<double>> all_figures(const ClassMap& map) {
    std::map<std::string_view, std::vector<double>> values;
    for (const FigureGroup& group : figures_of(map))
        for (const Figure& figure : group.figures) values[figure.key] = figure.values;
    return values;
}

}  // namespace

TEST_CASE("the skeleton is as thin as it can be and holds together as the mask does") {
    const Mask mask = streets({{6, 3, 28}, {25, 3, 20}}, {{8, 3, 28}, {18, 6, 25}});
    const Mask skeleton = skeleton_of(mask);
    CHECK(skeleton.area() < mask.area() / 2);
    skeleton.each([&](Pixel p) {
        CHECK(mask.at(p));
        const bool square = skeleton.at({p.x + 1, p.y}) && skeleton.at({p.x, p.y + 1}) &&
                            skeleton.at({p.x + 1, p.y + 1});
        CHECK_FALSE(square);
    });
    CHECK(components_of(skeleton, Neighbours::eight).size() ==
          components_of(mask, Neighbours::eight).size());
    CHECK(components_of(skeleton.inverted(), Neighbours::four).size() ==
          components_of(mask.inverted(), Neighbours::four).size());
    const Mask thin = mask_of({".....", "#####", ".....", ".....", "....."});
    CHECK(skeleton_of(thin).area() == 5);
}

TEST_CASE("the skeleton is that of scikit-image's thin()") {
    const Mask skeleton = skeleton_of(mask_of({"................",  //
                                               ".##########.....",  //
                                               ".###########....",  //
                                               ".####....####...",  //
                                               ".###......###...",  //
                                               ".###.......####.",  //
                                               ".####.....#####.",  //
                                               "..############..",  //
                                               "....#########...",  //
                                               "......###.......",  //
                                               "......####......",  //
                                               ".......####.....",  //
                                               "........###.....",  //
                                               "........###.....",  //
                                               "................",  //
                                               "................"}));
    const Mask theirs = mask_of({"................",  //
                                 "................",  //
                                 "...#######......",  //
                                 "..#.......#.....",  //
                                 "..#........#....",  //
                                 "..#........#....",  //
                                 "...#........#...",  //
                                 "....#.....##....",  //
                                 ".....##.##......",  //
                                 ".......#........",  //
                                 ".......#........",  //
                                 "........#.......",  //
                                 ".........#......",  //
                                 "................",  //
                                 "................",  //
                                 "................"});
    for (std::int64_t y = 0; y < 16; ++y)
        for (std::int64_t x = 0; x < 16; ++x) {
            INFO(x << ' ' << y);
            CHECK(skeleton.at({x, y}) == theirs.at({x, y}));
        }
}

TEST_CASE("a street through the tile leaves it twice and has no end") {
    const Network network = network_of(streets({{10}}, {}));
    CHECK(network.length == Approx(32));
    CHECK(network.exits == 2);
    CHECK(network.dead_ends == 0);
    CHECK(network.junctions == 0);
}

TEST_CASE("streets that meet and end") {
    const Network cross = network_of(streets({{10}}, {{20}}));
    CHECK(cross.junctions == 1);
    CHECK(cross.exits == 4);
    CHECK(cross.dead_ends == 0);
    CHECK(cross.length == Approx(64).margin(2));
    const Network blind = network_of(streets({{10, 0, 20}}, {}));
    CHECK(blind.exits == 1);
    CHECK(blind.dead_ends == 1);
    CHECK(blind.length == Approx(20).margin(1.5));
    const Network ladder = network_of(streets({{6}, {24}}, {{8, 6, 24}, {20, 6, 24}}));
    CHECK(ladder.junctions == 4);
    CHECK(ladder.exits == 4);
    CHECK(ladder.dead_ends == 0);
    CHECK(network_of(Mask(32)).length == 0);
}

TEST_CASE("a diagonal street is as long as it is") {
    Mask mask(32);
    for (std::int64_t i = 0; i < 32; ++i)
        for (const std::int64_t wide : {-1, 0, 1})
            if (mask.holds({i + wide, i})) mask.put({i + wide, i}, true);
    const Network network = network_of(mask);
    CHECK(network.length == Approx(32 * std::numbers::sqrt2).epsilon(0.05));
    CHECK(network.dead_ends == 0);
    CHECK(network.junctions == 0);
}

TEST_CASE("the figures of roads and blocks have units of the ground") {
    std::vector<std::string> rows(32, std::string(32, '.'));
    for (auto y : {9U, 10U, 11U}) rows[y] = std::string(32, '+');
    for (auto& row : rows)
        if (row[0] == '.') row.replace(19, 3, "+++");
    rows[30] = "++" + rows[30].substr(2);
    auto found = all_figures(drawn(rows, 5));
    const double hectares = 2.56;
    const double area = 3 * 32 + 3 * 29 + 2;
    CHECK(found["road_area"][0] == Approx(area * 25 / hectares));
    CHECK(found["road_pland"][0] == Approx(100 * area / 1024));
    CHECK(found["road_largest"][0] == Approx((area - 2) / area));
    CHECK(found["road_junctions"][0] == Approx(100 / hectares));
    CHECK(found["block_count"][0] == Approx(4 / hectares));
    const double largest = 19 * 20 - 2;
    CHECK(found["block_area"] ==
          std::vector<double>{9 * 19 * 25, 9 * 10 * 25, largest * 25, 20 * 10 * 25});
    CHECK(found["block_largest"][0] == Approx(largest / (1024 - area)));
    // The stub of two pixels leaves the tile and ends in it.
    CHECK(found["road_continuation"][0] == Approx(5 / 6.0));
    // 32 pixels of 5 m from border to border; one that ends in the tile.
    std::vector<std::string> street(32, std::string(32, '.'));
    for (auto y : {9U, 10U, 11U}) street[y] = std::string(32, '+');
    CHECK(all_figures(drawn(street, 5))["road_length"][0] == Approx(32 * 5 / hectares));
    CHECK(all_figures(drawn(street, 5))["road_dead_ends"][0] == 0);
    for (auto y : {9U, 10U, 11U}) street[y].replace(20, 12, 12, '.');
    CHECK(all_figures(drawn(street, 5))["road_dead_ends"][0] == Approx(100 / hectares));
    std::vector<std::string> corner(16, std::string(16, '+'));
    corner[2][2] = corner[3][3] = '.';
    CHECK(all_figures(drawn(corner, 5))["block_area"] == std::vector<double>{25, 25});
    const auto empty = all_figures(drawn(std::vector<std::string>(16, std::string(16, '.'))));
    CHECK(empty.at("road_continuation").empty());
    CHECK(empty.at("road_largest").empty());
    CHECK(empty.at("block_largest")[0] == 1);
    CHECK(empty.at("building_area").empty());
    CHECK(empty.at("spectrum_slope").empty());
}
