// Blocks that the borders of tiles cut are one, with all their buildings.
#include "preprocess/vectorize/block_joining.hpp"

#include "row.hpp"

using namespace civitas;
using namespace civitas::test;
using namespace civitas::vectorize;

TEST_CASE("A block of two tiles is one, of the tile that has most of it") {
    BlockJoining joining(Neighbours(row(2), 100), 0.5);
    const auto first = joining.add(
        tile(0), {{box(90, 40, 100, 60), 0.5, 1, false}, {box(20, 20, 40, 40), 0.25, 1, true}});
    REQUIRE(first.size() == 1);
    CHECK(first[0].enclosed);
    CHECK(first[0].building_share == 0.25);
    CHECK(first[0].buildings == 1);
    CHECK(joining.add(tile(1), {{box(100, 40, 130, 60), 0.25, 2, false}}).empty());
    // A house over the border and one in the second tile.
    joining.add_buildings(0, {box(95, 45, 105, 50), box(25, 25, 35, 30)});
    joining.add_buildings(1, {box(110, 50, 120, 60)});
    const auto joined = joining.joined();
    REQUIRE(joined.size() == 1);
    REQUIRE(joined.at(1).size() == 1);
    const Block& block = joined.at(1)[0];
    CHECK(block.shape.IsValid());
    CHECK(block.shape.get_Area() == Approx(40 * 20));
    CHECK(block.building_share == Approx((0.5 * 200 + 0.25 * 600) / 800));
    CHECK(block.buildings == 2);
    CHECK(block.enclosed);
}

TEST_CASE("Blocks that touch in less than half a pixel, or lie on other ground, stay apart") {
    BlockJoining joining(Neighbours(row(2), 100), 0.5);
    (void)joining.add(tile(0), {{box(90, 0, 100, 20), 0, 0, false}});
    (void)joining.add(
        tile(1), {{box(100, 19.6, 120, 60), 0, 0, false}, {box(190, 70, 200, 80), 0, 0, false}});
    const auto joined = joining.joined();
    REQUIRE(joined.size() == 2);
    CHECK_FALSE(joined.at(0)[0].enclosed);  // its south is the end of the map
    CHECK(joined.at(1)[0].enclosed);

    BlockJoining apart({}, 0.5);
    const auto all = apart.add(tile(0), {{box(90, 0, 100, 20), 0, 3, false}});
    REQUIRE(all.size() == 1);
    CHECK_FALSE(all[0].enclosed);
    CHECK(all[0].buildings == 3);
    CHECK(apart.joined().empty());
}

TEST_CASE("Blocks that cannot be joined with their pieces are an error of their own") {
    const QuietGdal file;
    BlockJoining joining(Neighbours(row(2), 100), 0.5);
    (void)joining.add(tile(0), {{box(80, 10, 100, 20), 0, 0, false}});
    const OGRPolygon crossed = to_polygon({{{100, 10}, {100, 20}, {110, 10}, {110, 20}}, {}});
    (void)joining.add(tile(1), {{crossed, 0, 0, false}});
    CHECK_THROWS_WITH(joining.joined(), Catch::Contains("block of tile 0 cannot be joined") &&
                                            Catch::Contains("Hint: --tiles"));
    CHECK(file.failure().empty());
}
