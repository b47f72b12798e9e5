#include "civitas/quality/seams.hpp"

#include "drawn.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace civitas;
using namespace civitas::quality;
using civitas::test::drawn;
using Side = Seam::Side;

TEST_CASE("what goes on over a border is counted on both sides", "[quality]") {
    SeamTiles of;
    of.tiles = {drawn({"...#", "...+", "....", "...+"}),   // ends with a building and two roads
                drawn({"....", "+...", "+..#", "...."})};  // begins with two pixels of road
    of.seams = {{0, 1, Side::east}};
    const Continued east = continued(of);
    // No building lies across; a road has a road straight across, the other one beside it, and the
    // second tile's pixels have those of the first, straight or beside.
    CHECK(east.building == 0);
    CHECK(east.road == 1);
    of.tiles[1] = drawn({"....", "+...", "....", "...."});
    CHECK(continued(of).road == Approx(2.0 / 3));
}

TEST_CASE("a border to the south is that of the last row and the first", "[quality]") {
    SeamTiles of;
    of.tiles = {drawn({"#++", "...", "##+"}), drawn({".#+", "...", "+++"})};
    of.seams = {{0, 1, Side::south}};
    CHECK(continued(of).building == 1);
    CHECK(continued(of).road == 1);
    of.seams = {{1, 0, Side::south}};
    // Three pixels of road above #++: all of them have one across.
    CHECK(continued(of).road == 1);
    CHECK(continued(of).building == 0);
}

TEST_CASE("tiles without what is looked for have no share", "[quality]") {
    SeamTiles of;
    of.tiles = {drawn({"...", "#..", "..."}), drawn({"...", "...", "..+"})};
    of.seams = {{0, 1, Side::east}};
    CHECK(std::isnan(continued(of).building));
    CHECK(std::isnan(continued(of).road));
    CHECK(std::isnan(continued({}).road));
}

TEST_CASE("chance gives each tile another neighbour, of the same ones", "[quality]") {
    SeamTiles of;
    for (std::size_t i = 0; i < 200; ++i) of.seams.push_back({i, 200 + i, Side::east});
    const SeamTiles mixed = by_chance(of, Seed{1});
    std::set<std::size_t> neighbours;
    int same = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        CHECK(mixed.seams[i].tile == i);
        neighbours.insert(mixed.seams[i].neighbour);
        same += mixed.seams[i].neighbour == 200 + i ? 1 : 0;
    }
    CHECK(neighbours.size() == 200);
    CHECK(same < 10);
    CHECK(by_chance({}, Seed{1}).seams.empty());
}
