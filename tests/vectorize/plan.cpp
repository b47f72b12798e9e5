#include "preprocess/vectorize/plan.hpp"

#include "checks.hpp"
#include "civitas/base/error.hpp"
#include "fields.hpp"
#include "maps.hpp"

using namespace civitas;
using namespace civitas::vectorize;
using namespace civitas::test;
using namespace civitas::vectorize::checks;
using Catch::Matchers::Contains;

TEST_CASE("Houses with their corners rounded off become rectangles again") {
    std::vector<std::pair<Shape, std::uint8_t>> shapes;
    for (int i = 0; i < 9; ++i) {
        const Point centre{20.0 + 42 * (i % 3), 20.0 + 42 * (i / 3)};
        Shape blob;  // a superellipse: flat sides, corners a few pixels round
        for (int k = 0; k < 64; ++k) {
            const double t = k * 2 * 3.14159265358979 / 64, turn = 0.15 * i;
            const double x = 9 * std::copysign(std::sqrt(std::abs(std::cos(t))), std::cos(t));
            const double y = 6 * std::copysign(std::sqrt(std::abs(std::sin(t))), std::sin(t));
            blob.outer.push_back(centre + Point{x * std::cos(turn) - y * std::sin(turn),
                                                x * std::sin(turn) + y * std::cos(turn)});
        }
        shapes.emplace_back(blob, kBuilding);
    }
    const auto raster = drawn(shapes, 128);
    const auto plan = vectorized(raster, tracing(128));
    REQUIRE(plan.buildings.size() == 9);
    CHECK(corners_of(plan.buildings).right > 0.95);
    CHECK(corners_of(plan.buildings).per_building < 5);
    CHECK(total(plan.buildings) / (128 * 128) == Approx(raster.share(kBuilding)).epsilon(0.03));
}

TEST_CASE("Nonsense is traced without an error") {
    std::mt19937 random(3);
    for (const int side : {1, 2, 16, 40}) {
        ClassRaster raster{side, {}};
        for (int i = 0; i < side * side; ++i) {
            raster.classes.push_back(static_cast<std::uint8_t>(random() % 3));
        }
        const auto plan = vectorized(raster, tracing(kMetres));
        CHECK(total(plan.buildings) + total(plan.roads) + total(plan.other) ==
              Approx(kMetres * kMetres));
        for (const auto* layer : {&plan.buildings, &plan.roads, &plan.other}) {
            for (const auto& polygon : *layer) CHECK(polygon.IsValid());
        }
    }
}

TEST_CASE("A tile of one class is one polygon") {
    for (const std::uint8_t land_class : {kOther, kRoad, kBuilding}) {
        const ClassRaster raster{64, std::vector<std::uint8_t>(64 * 64, land_class)};
        const auto plan = vectorized(raster, tracing(kMetres));
        CHECK(plan.other.size() == (land_class == kOther ? 1 : 0));
        CHECK(plan.roads.size() == (land_class == kRoad ? 1 : 0));
        CHECK(plan.buildings.size() == (land_class == kBuilding ? 1 : 0));
        check_plan(plan, kMetres, 12);
    }
}

TEST_CASE("A house in the notch of another is not built over") {
    Shape notched{{{20, 20}, {60, 20}, {60, 38}, {50, 38}, {50, 40}, {20, 40}}, {}};
    const auto small = turned_rectangle({56, 41}, 8, 4, 0);
    const auto raster = drawn({{notched, kBuilding}, {small, kBuilding}}, 128);
    auto coarse = tracing(128);
    coarse.tolerance = 4;  // so that the notch alone would not be seen
    const auto alone = vectorized(drawn({{notched, kBuilding}}, 128), coarse);
    CHECK(to_shape(alone.buildings.at(0)).outer.size() == 4);
    const auto plan = vectorized(raster, coarse);
    CHECK(plan.buildings.size() == 2);
    std::vector<Region> houses;
    for (const auto& region : regions(raster)) {
        if (region.land_class == kBuilding) houses.push_back(region);
    }
    const auto outlines = footprints(houses, raster, 4, 12, Detail::regular);
    REQUIRE(outlines.size() == 2);
    CHECK(overlap(outlines[0], outlines[1]) < 1e-6);
    check_plan(plan, 128, 12);
}

TEST_CASE("A turned rectangle comes back with four right angles, size and place") {
    for (const double degrees : {0.0, 10.0, 30.0, 45.0, 72.0}) {
        const Point centre{63.3, 60.8};
        const auto raster = drawn({{turned_rectangle(centre, 40, 18, degrees), kBuilding}}, 128);
        const auto plan = vectorized(raster, tracing(128));
        REQUIRE(plan.buildings.size() == 1);
        const Shape shape = to_shape(plan.buildings[0]);
        CHECK(shape.outer.size() == 4);
        for (const double angle : angles(shape.outer)) CHECK(angle == Approx(90).margin(0.01));
        CHECK(area(shape) == Approx(40 * 18).epsilon(0.03));
        const auto truth = to_polygon(turned_rectangle(centre, 40, 18, degrees));
        CHECK(overlap(plan.buildings[0], truth) > 0.96 * 40 * 18);
    }
}

TEST_CASE("A U at 17 degrees has eight right angles, and its yard stays open") {
    const auto whole = turned_rectangle({64, 64}, 60, 44, 17);
    const Point u = unit(whole.outer[1] - whole.outer[0]), v = turned_left(u);
    const Point c = whole.outer[3];  // the yard opens to the side from here to whole.outer[2]
    const Shape arms{{whole.outer[0], whole.outer[1], whole.outer[2], whole.outer[2] - 18 * u,
                      whole.outer[2] - 18 * u - 28 * v, c + 18 * u - 28 * v, c + 18 * u, c},
                     {}};
    const auto plan = vectorized(drawn({{arms, kBuilding}}, 128), tracing(128));
    REQUIRE(plan.buildings.size() == 1);
    CHECK(to_shape(plan.buildings[0]).outer.size() == 8);
    CHECK(corners_of(plan.buildings).right == 1);
    CHECK(overlap(plan.buildings[0], to_polygon(arms)) > 0.95 * area(arms));
    CHECK(total(plan.buildings) == Approx(area(arms)).epsilon(0.03));
}

TEST_CASE("What a generator bends along a street gets right angles, and few") {
    Shape bow;  // half of a ring, its ends round
    const auto at = [](double radius, double t) {
        return Point{64 + radius * std::cos(t), 50 + radius * std::sin(t)};
    };
    for (int k = 0; k <= 32; ++k) bow.outer.push_back(at(40, 0.4 + 2.2 * k / 32));
    for (int k = 0; k <= 32; ++k) bow.outer.push_back(at(26, 2.6 - 2.2 * k / 32));
    const auto raster = drawn({{bow, kBuilding}}, 128);
    const auto plan = vectorized(raster, tracing(128));
    REQUIRE(plan.buildings.size() == 1);
    CHECK(corners_of(plan.buildings).right == 1);
    CHECK(corners_of(plan.buildings).per_building <= 16);
    const double both = overlap(plan.buildings[0], to_polygon(bow));
    CHECK(both / (area(bow) + total(plan.buildings) - both) > 0.8);
}

TEST_CASE("Roads that are lost between the buildings are drawn along their pixels") {
    // A lane of one pixel in steps between houses: its two sides, smoothed, fall together.
    ClassRaster raster{64, std::vector<std::uint8_t>(64 * 64, kOther)};
    const auto at = [](int row, int column) { return static_cast<std::size_t>(64 * row + column); };
    for (int k = 4; k < 60; ++k) {
        for (int row = 0; row < 64; ++row) {
            if (std::abs(row - k) < 12 && (row / 7 + k / 9) % 2 == 0)
                raster.classes[at(row, k)] = kBuilding;
        }
    }
    for (int k = 0; k < 63; ++k) {
        raster.classes[at(k, k)] = kRoad;
        raster.classes[at(k, k + 1)] = kRoad;
    }
    const auto plan = vectorized(raster, tracing(kMetres));
    CHECK(plan.detail != Detail::pixels);
    CHECK(total(plan.roads) / (kMetres * kMetres) == Approx(raster.share(kRoad)).margin(0.02));
    check_plan(plan, kMetres, 12);
}

TEST_CASE("An L at 25 degrees has six right angles") {
    const auto arm = turned_rectangle({60, 60}, 50, 16, 25);
    const Point u = unit(arm.outer[1] - arm.outer[0]), v = turned_left(u);
    Shape l{{arm.outer[0], arm.outer[1], arm.outer[2], arm.outer[2] - 30 * u,
             arm.outer[2] - 30 * u + 20 * v, arm.outer[3] + 20 * v},
            {}};
    const auto plan = vectorized(drawn({{l, kBuilding}}, 128), tracing(128));
    REQUIRE(plan.buildings.size() == 1);
    const Shape shape = to_shape(plan.buildings[0]);
    CHECK(shape.outer.size() == 6);
    CHECK(corners_of(plan.buildings).right == 1);
    CHECK(area(shape) == Approx(area(l)).epsilon(0.03));
}

TEST_CASE("A courtyard stays a hole") {
    auto block = turned_rectangle({64, 64}, 60, 40, 20);
    block.holes.push_back(turned_rectangle({64, 64}, 30, 14, 20).outer);
    const auto plan = vectorized(drawn({{block, kBuilding}}, 128), tracing(128));
    REQUIRE(plan.buildings.size() == 1);
    const Shape shape = to_shape(plan.buildings[0]);
    REQUIRE(shape.holes.size() == 1);
    CHECK(shape.holes[0].size() == 4);
    CHECK(std::abs(area(shape.holes[0])) == Approx(30 * 14).epsilon(0.05));
    CHECK(plan.other.size() == 2);
    check_plan(plan, 128, 12);
}

TEST_CASE("Buildings that stand at the street leave no gap to it") {
    const auto street = turned_rectangle({64, 64}, 200, 12, 17);
    const auto house = turned_rectangle(
        Point{64, 64} + 11 * turned_left({std::cos(0.2967), std::sin(0.2967)}), 30, 10, 17);
    const auto plan = vectorized(drawn({{street, kRoad}, {house, kBuilding}}, 128), tracing(128));
    REQUIRE(plan.buildings.size() == 1);
    REQUIRE(plan.roads.size() == 1);
    CHECK(plan.other.size() == 2);
    const GeometryPtr around(plan.buildings[0].Buffer(1e-6));
    const GeometryPtr edge(plan.roads[0].Boundary());
    const GeometryPtr common(edge->Intersection(around.get()));
    double shared = 0;
    if (OGR_GT_IsSubClassOf(wkbFlatten(common->getGeometryType()), wkbGeometryCollection)) {
        shared = common->toGeometryCollection()->get_Length();
    } else if (wkbFlatten(common->getGeometryType()) == wkbLineString) {
        shared = common->toLineString()->get_Length();
    }
    CHECK(shared == Approx(30).epsilon(0.1));
    check_plan(plan, 128, 12);
}

TEST_CASE("A straight street has straight sides") {
    const auto raster = drawn({{turned_rectangle({64, 64}, 300, 9, 23), kRoad}}, 128);
    const auto plan = vectorized(raster, tracing(128));
    REQUIRE(plan.roads.size() == 1);
    CHECK(to_shape(plan.roads[0]).outer.size() <= 6);
}

TEST_CASE("Roads have straight sides where one leaves the tile and comes back, too") {
    const auto plan = vectorized(plan_from_fields(96, 4), tracing(kMetres));
    int vertices = 0;
    for (const auto& road : plan.roads) vertices += road.getExteriorRing()->getNumPoints();
    CHECK(vertices < 150);  // those along the edges of pixels have nearly 600
}

TEST_CASE("What is smaller than the minimum goes to its neighbours") {
    const auto raster = drawn({{turned_rectangle({30, 30}, 10, 10, 0), kBuilding},
                               {turned_rectangle({80.5, 80.5}, 3, 3, 0), kBuilding},
                               {turned_rectangle({100, 30}, 2, 4, 0), kRoad}},
                              128);
    const auto plan = vectorized(raster, tracing(128));
    CHECK(plan.buildings.size() == 1);
    CHECK(plan.roads.empty());
    auto all = tracing(128);
    all.minimum_area = 4;
    CHECK(vectorized(raster, all).buildings.size() == 2);
}

TEST_CASE("Pixels that are no classes are refused") {
    std::vector<std::uint8_t> pixels(16, 7);
    CHECK_THROWS_WITH(make_raster(4, pixels),
                      Contains("pixel value 7 is none of 0 other, 1 road, 2 building"));
    CHECK_THROWS_WITH(make_raster(5, pixels), Contains("25 pixels, not 16"));
}
