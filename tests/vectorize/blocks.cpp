// Blocks between the roads.
#include "preprocess/vectorize/blocks.hpp"

#include "checks.hpp"
#include "fields.hpp"
#include "maps.hpp"
#include "preprocess/vectorize/ogr.hpp"

using namespace civitas;
using namespace civitas::vectorize;
using namespace civitas::test;
using namespace civitas::vectorize::checks;

TEST_CASE("Blocks and roads fill the ground, and every building is in one block") {
    std::size_t enclosed = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        const auto plan = vectorized(plan_from_fields(96, seed), tracing(kMetres));
        const auto blocks = blocks_of(plan, square(kMetres));
        double ground = total(plan.roads), built = 0;
        std::int64_t buildings = 0;
        for (const auto& block : blocks) {
            CHECK(block.shape.IsValid());
            ground += block.shape.get_Area();
            built += block.building_share * block.shape.get_Area();
            buildings += block.buildings;
            enclosed += block.enclosed ? 1 : 0;
        }
        CHECK(ground == Approx(kMetres * kMetres).epsilon(1e-9));
        CHECK(built == Approx(total(plan.buildings)).epsilon(1e-9));
        CHECK(buildings == static_cast<std::int64_t>(plan.buildings.size()));
    }
    CHECK(enclosed > 0);
}

TEST_CASE("Only what roads enclose on all sides is an enclosed block") {
    auto around = turned_rectangle({64, 64}, 80, 80, 0);
    around.holes.push_back(turned_rectangle({64, 64}, 60, 60, 0).outer);
    const auto house = turned_rectangle({64, 64}, 30, 12, 0);
    const auto plan = vectorized(drawn({{around, kRoad}, {house, kBuilding}}, 128), tracing(128));
    const auto blocks = blocks_of(plan, square(128));
    REQUIRE(blocks.size() == 2);
    const auto& inner = blocks[blocks[0].enclosed ? 0 : 1];
    const auto& outer = blocks[blocks[0].enclosed ? 1 : 0];
    CHECK(inner.enclosed);
    CHECK_FALSE(outer.enclosed);
    CHECK(inner.shape.get_Area() == Approx(3600).epsilon(0.03));
    CHECK(inner.building_share == Approx(0.1).epsilon(0.05));
    CHECK(inner.buildings == 1);
    CHECK(outer.buildings == 0);
}

TEST_CASE("Blocks that cannot be joined are an error of their own, none of the map's file") {
    const QuietGdal file;
    Plan plan;
    plan.other = {square(8), to_polygon({{{8, 0}, {16, 0}, {8, 8}, {16, 8}}, {}})};
    CHECK_THROWS_WITH(blocks_of(plan, square(16)),
                      Catch::Contains("blocks cannot be joined") && Catch::Contains("Hint: "));
    CHECK(file.failure().empty());
}
