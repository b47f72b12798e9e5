// Every polygon is valid in the file it ends up in, and together they fill the ground.
// CIVITAS_PLANS=10000 tests as many plans; tests/plans.sh does.
#include "checks.hpp"
#include "civitas/comm/communicator.hpp"
#include "fields.hpp"
#include "maps.hpp"
#include "preprocess/survey/survey.hpp"
#include "preprocess/vectorize/borders.hpp"
#include "preprocess/vectorize/map_file.hpp"
#include "preprocess/vectorize/placing.hpp"
#include "support/shared_folder.hpp"

#include <cstdio>

using namespace civitas;
using namespace civitas::vectorize;
using namespace civitas::test;
using namespace civitas::vectorize::checks;

namespace {

int plans_to_test() {
    const char* words = std::getenv("CIVITAS_PLANS");
    return words != nullptr ? std::atoi(words) : 60;
}

struct Place {
    Point corner;
    double metres;
};

/// Near 0,0 and far from it, with tiles of round and of odd sizes.
Place place_of(int plan) {
    const double metres = plan % 2 == 0 ? 125 : 166.66667;
    const Point steps{static_cast<double>(plan % 100), static_cast<double>(plan / 100)};
    const Point anchors[] = {{0, 0}, {2600000, 1200000}, {2600000.12345, 1200000.98765}};
    return {anchors[plan % 3] + metres * steps, metres};
}

std::vector<const OGRPolygon*> all_of(const Plan& plan) {
    std::vector<const OGRPolygon*> all;
    for (const auto* layer : {&plan.buildings, &plan.roads, &plan.other}) {
        for (const auto& polygon : *layer) all.push_back(&polygon);
    }
    return all;
}

bool fills(const Plan& plan, const Place& place) {
    const auto placement = pixels_to_metres(place.metres, place.corner);
    return fill(all_of(plan), placement({0, 0}), placement({1, 1}));
}

void add(MapFile& map, const Plan& plan, int tile) {
    map.add(kBuilding, plan.buildings, tile);
    map.add(kRoad, plan.roads, tile);
    map.add(kOther, plan.other, tile);
}

/// Polygons of a file that GEOS calls invalid.
int invalid_in(const std::filesystem::path& file) {
    const QuietGdal quiet;
    const Dataset map(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    REQUIRE(map);
    int polygons = 0, invalid = 0;
    for (auto* layer : map->GetLayers()) {
        for (const auto& feature : *layer) {
            const auto* shape = feature->GetGeometryRef();
            if (shape == nullptr) continue;
            ++polygons;
            invalid += shape->IsValid() && !shape->IsEmpty() ? 0 : 1;
        }
    }
    std::printf("%s: %d polygons, %d invalid\n", file.filename().c_str(), polygons, invalid);
    CHECK(polygons > 0);
    return invalid;
}

Provenance in_switzerland() {
    Provenance from;
    from.crs_epsg = 2056;
    return from;
}

}  // namespace

TEST_CASE("Plans fill their ground with valid polygons, in the files too") {
    const auto ranks = comm::Communicator::world();
    const SharedFolder folder(ranks, "validity");
    const auto gpkg = folder.path() / "plans.gpkg", geojson = folder.path() / "plans.geojson";
    const auto map = make_map_file({gpkg, Format::geopackage}, in_switzerland());
    const auto degrees = make_map_file({geojson, Format::geojson}, in_switzerland());
    int along_pixels = 0, gaps = 0;
    for (int i = 0; i < plans_to_test(); ++i) {
        const auto place = place_of(i);
        const int sides[] = {32, 40, 48, 64};
        const auto raster = plan_from_fields(sides[i % 4], static_cast<unsigned>(i));
        auto asked = tracing(place.metres);
        asked.corner = place.corner;
        const auto plan = vectorized(raster, asked);
        gaps += fills(plan, place) ? 0 : 1;
        along_pixels += plan.detail == Detail::pixels ? 1 : 0;
        add(*map, plan, i);
        if (i % 3 != 0 && i < 1000) add(*degrees, plan, i);  // the first anchor is no place
    }
    map->close();
    degrees->close();
    std::printf("%d plans, %d not filled, %d along the pixels\n", plans_to_test(), gaps,
                along_pixels);
    CHECK(gaps == 0);
    CHECK(invalid_in(gpkg) == 0);
    CHECK(invalid_in(geojson) == 0);
}

TEST_CASE("Tiles of the sample town fill their ground, wherever they lie") {
    const auto ranks = comm::Communicator::world();
    const SharedFolder folder(ranks, "validity");
    const auto town = folder.path() / "town.gpkg", gpkg = folder.path() / "plans.gpkg";
    survey::write_survey(town, {Seed{1}});
    const Dataset survey(GDALDataset::Open(town.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    OGREnvelope extent;
    REQUIRE(survey->GetLayer(0)->GetExtent(&extent) == OGRERR_NONE);
    const auto map = make_map_file({gpkg, Format::geopackage}, in_switzerland());
    const int tiles = std::max(2, plans_to_test() / 100);
    for (int i = 0; i < tiles; ++i) {
        const auto place = place_of(i);
        const test::Ground ground{extent.MinX + 2000 + 250 * (i % 10),
                                  extent.MinY + 4000 - 250 * (i / 10 % 10), 250};
        auto asked = tracing(place.metres);
        asked.corner = place.corner;
        const auto plan = vectorized(survey_tile(town, ground, i % 2 == 0 ? 64 : 128), asked);
        CHECK(fills(plan, place));
        add(*map, plan, i);
    }
    map->close();
    CHECK(invalid_in(gpkg) == 0);
}

TEST_CASE("Lines that rounding makes cross are cut anew, and nothing is lost") {
    // The tip of the western polygon is at 10.4 of 10.45 that the slanted wall is at beside it.
    // Rounded to whole units the tip is at 10, the wall at 8 + 4 * 5 / 11 = 9.8: it crosses both
    // sides.
    const Placement coarse{[](Point p) { return p; }, 1};
    const OGRPolygon tip = to_polygon({{{0, 0}, {10.4, 5.4}, {0, 10}}, {}});
    const OGRPolygon wall =
        to_polygon({{{0, 0}, {8.49, 0}, {12.49, 11}, {0, 11}, {0, 10}, {10.4, 5.4}}, {}});
    REQUIRE(wall.IsValid());
    REQUIRE_FALSE(
        to_polygon({{{0, 0}, {8, 0}, {12, 11}, {0, 11}, {0, 10}, {10, 5}}, {}}).IsValid());
    const auto parts = at_place({tip, wall}, coarse);
    double sum = 0;
    for (const auto& part : parts) {
        for (const auto& polygon : part) {
            CHECK(polygon.IsValid());
            sum += polygon.get_Area();
            for (const Point p : to_shape(polygon).outer)
                CHECK((p.x == std::round(p.x) && p.y == std::round(p.y)));
        }
    }
    CHECK(overlap(parts[0].at(0), parts[1].at(0)) == 0);
    CHECK(sum == Approx(tip.get_Area() + wall.get_Area()).epsilon(0.1));
}
