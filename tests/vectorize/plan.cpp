#include "preprocess/vectorize/plan.hpp"

#include "civitas/base/error.hpp"
#include "maps.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <queue>

using namespace civitas;
using namespace civitas::vectorize;
using Catch::Matchers::Contains;
using test::drawn;
using test::turned_rectangle;

namespace {

constexpr double kMetres = 250;

double total(const Polygons& polygons) {
    double sum = 0;
    for (const auto& polygon : polygons) sum += polygon.get_Area();
    return sum;
}

double overlap_of_layers(const Polygons& a, const Polygons& b) {
    double sum = 0;
    for (const auto& p : a) {
        for (const auto& q : b) sum += overlap(p, q);
    }
    return sum;
}

/// Everything that holds for every plan.
void check_plan(const Plan& plan, double tile_metres, double minimum_area) {
    for (const auto* layer : {&plan.buildings, &plan.roads, &plan.other}) {
        for (const auto& polygon : *layer) {
            CHECK(polygon.IsValid());
            CHECK(polygon.get_Area() >= minimum_area);
        }
    }
    CHECK(overlap_of_layers(plan.buildings, plan.roads) < 1e-6);
    CHECK(overlap_of_layers(plan.buildings, plan.other) < 1e-6);
    CHECK(overlap_of_layers(plan.roads, plan.other) < 1e-6);
    for (std::size_t i = 0; i < plan.buildings.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            CHECK(overlap(plan.buildings[i], plan.buildings[j]) < 1e-6);
        }
    }
    const double sum = total(plan.buildings) + total(plan.roads) + total(plan.other);
    CHECK(sum == Approx(tile_metres * tile_metres).epsilon(1e-9));
    Polygons all = plan.buildings;
    all.insert(all.end(), plan.roads.begin(), plan.roads.end());
    all.insert(all.end(), plan.other.begin(), plan.other.end());
    CHECK(total(dissolved(all)) == Approx(tile_metres * tile_metres).epsilon(1e-9));
}

/// Sizes of the 4-connected building components: an oracle of its own, no GDAL.
std::vector<int> components(const ClassRaster& raster) {
    std::vector<int> sizes;
    auto left = raster.classes;
    const int n = raster.side;
    for (int start = 0; start < n * n; ++start) {
        if (left[static_cast<std::size_t>(start)] != kBuilding) continue;
        std::queue<int> open({start});
        left[static_cast<std::size_t>(start)] = kOther;
        int size = 0;
        for (; !open.empty(); open.pop(), ++size) {
            const int here = open.front(), column = here % n;
            for (const auto& [next, inside] : {std::pair{here - n, here >= n},
                                               {here + n, here + n < n * n},
                                               {here - 1, column > 0},
                                               {here + 1, column + 1 < n}}) {
                if (!inside || left[static_cast<std::size_t>(next)] != kBuilding) continue;
                left[static_cast<std::size_t>(next)] = kOther;
                open.push(next);
            }
        }
        sizes.push_back(size);
    }
    return sizes;
}

std::size_t components_of_at_least(const ClassRaster& raster, double metres, double area) {
    const double pixel = metres / raster.side;
    std::size_t count = 0;
    for (const int size : components(raster)) count += size * pixel * pixel >= area ? 1 : 0;
    return count;
}

struct Corners {
    double right = 0, per_building = 0;
};

Corners corners_of(const Polygons& buildings) {
    double all = 0, right = 0;
    for (const auto& building : buildings) {
        for (const double angle : angles(to_shape(building).outer)) {
            ++all;
            right += std::abs(angle - 90) < 10 || std::abs(angle - 270) < 10 ? 1 : 0;
        }
    }
    return {right / all, all / static_cast<double>(buildings.size())};
}

Tracing tracing(double metres, Detail detail = Detail::regular) {
    Tracing t;
    t.tile_metres = metres;
    t.detail = detail;
    return t;
}

const char* sauge() {
    static std::string file;
    const char* maps = std::getenv("CIVITAS_MAPS");
    if (maps != nullptr) file = std::string(maps) + "/ch_lcsf_derived/lcsf_449_sauge_be.gpkg";
    if (maps != nullptr && std::filesystem::exists(file)) return file.c_str();
    WARN("CIVITAS_MAPS names no folder with the Sauge survey: real tiles not tested");
    return nullptr;
}

const std::vector<test::Ground> kSaugeTiles{
    {2589250, 1226500, kMetres}, {2588250, 1226500, kMetres}, {2586000, 1224250, kMetres}};

}  // namespace

TEST_CASE("Tiles of a real survey come back as a plan") {
    const char* map = sauge();
    if (map == nullptr) return;
    for (const auto& ground : kSaugeTiles) {
        const auto raster = test::survey_tile(map, ground, 256);
        const auto plan = vectorized(raster, tracing(kMetres));
        CHECK(plan.detail == Detail::regular);
        check_plan(plan, kMetres, 12);
        const double tile = kMetres * kMetres;
        CHECK(std::abs(total(plan.buildings) / tile - raster.share(kBuilding)) < 0.02);
        CHECK(std::abs(total(plan.roads) / tile - raster.share(kRoad)) < 0.02);
        CHECK(plan.buildings.size() == components_of_at_least(raster, kMetres, 12));
    }
}

TEST_CASE("Walls are straight and corners right, far more than without regularisation") {
    const char* map = sauge();
    if (map == nullptr) return;
    const auto raster = test::survey_tile(map, kSaugeTiles[0], 256);
    const auto regular = corners_of(vectorized(raster, tracing(kMetres)).buildings);
    const auto fitted = corners_of(vectorized(raster, tracing(kMetres, Detail::fitted)).buildings);
    const auto stairs = corners_of(vectorized(raster, tracing(kMetres, Detail::pixels)).buildings);
    std::printf(
        "corners within 10 degrees of a right angle: %.0f %%, without regularisation %.0f %%\n"
        "vertices per building: %.1f, without %.1f, along the pixels %.1f\n",
        100 * regular.right, 100 * fitted.right, regular.per_building, fitted.per_building,
        stairs.per_building);
    CHECK(regular.right > 0.8);
    CHECK(regular.right > fitted.right + 0.25);
    CHECK(regular.per_building < stairs.per_building / 4);
}

TEST_CASE("The outlines stay where the survey has them") {
    const char* map = sauge();
    if (map == nullptr) return;
    const auto raster = test::survey_tile(map, kSaugeTiles[0], 256);
    const auto plan = vectorized(raster, tracing(kMetres));
    const auto fine = test::survey_tile(map, kSaugeTiles[0], 1024);
    std::vector<std::pair<Shape, std::uint8_t>> shapes;
    const auto add = [&](const Polygons& polygons, std::uint8_t land_class) {
        for (const auto& polygon : polygons) {
            Shape shape = to_shape(polygon);
            for (auto& p : shape.outer) p = (1024 / kMetres) * p;
            for (auto& hole : shape.holes) {
                for (auto& p : hole) p = (1024 / kMetres) * p;
            }
            shapes.emplace_back(shape, land_class);
        }
    };
    add(plan.roads, kRoad);
    add(plan.buildings, kBuilding);
    const auto traced = drawn(shapes, 1024);
    double both = 0, either = 0;
    for (std::size_t i = 0; i < fine.classes.size(); ++i) {
        const bool a = fine.classes[i] == kBuilding, b = traced.classes[i] == kBuilding;
        both += a && b ? 1 : 0, either += a || b ? 1 : 0;
    }
    std::printf("buildings traced at 256 px against the survey at 1024 px: IoU %.3f\n",
                both / either);
    CHECK(both / either > 0.88);
}

TEST_CASE("A generator's noise becomes a plan too, at every size") {
    const char* map = sauge();
    if (map == nullptr) return;
    for (const int side : {64, 128, 256, 512}) {
        const auto clean = test::survey_tile(map, kSaugeTiles[1], side);
        const auto raster = test::noisy(clean, 0.3, 0.01, 7);
        const auto plan = vectorized(raster, tracing(kMetres));
        check_plan(plan, kMetres, 12);
        CHECK(plan.detail != Detail::pixels);
    }
}

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
    for (const int side : {1, 2, 16, 64, 150}) {
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
