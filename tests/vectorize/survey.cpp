// Tiles of a real survey, clean and with a generator's noise.
#include "checks.hpp"
#include "maps.hpp"

#include <cstdio>

using namespace civitas;
using namespace civitas::vectorize;
using namespace civitas::test;
using namespace civitas::vectorize::checks;

namespace {

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
    for (const int side : {64, 128, 256}) {
        const auto clean = test::survey_tile(map, kSaugeTiles[1], side);
        const auto raster = test::noisy(clean, 0.3, 0.01, 7);
        const auto plan = vectorized(raster, tracing(kMetres));
        check_plan(plan, kMetres, 12);
        CHECK(plan.detail != Detail::pixels);
    }
}
