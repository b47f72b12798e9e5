#include "preprocess/maps/raster.hpp"
#include "civitas/random/stream.hpp"
#include "made_map.hpp"
#include "preprocess/maps/geometry.hpp"

#include <gdal_alg.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace civitas;
using namespace civitas::maps;
using civitas::maps::test::band_of;

namespace {

constexpr std::int64_t side = 64;
constexpr Frame frame{{0, side}, side, side};  // pixels of a metre, centres at .5

Shapes shape_of(const std::vector<std::vector<Point>>& rings) {
    Shapes shapes;
    shapes.begin(LandClass::building, {});
    for (const auto& ring : rings) shapes.add_ring(ring);
    return shapes;
}

std::vector<std::uint8_t> burned(const Shapes& shapes) {
    std::vector<std::uint8_t> pixels(side * side);
    Burner burner(frame);
    for (std::int64_t i = 0; i < shapes.size(); ++i) burner.burn(shapes.at(i), 1, pixels);
    return pixels;
}

int count(const Shapes& shapes) {
    const auto pixels = burned(shapes);
    return std::accumulate(pixels.begin(), pixels.end(), 0);
}

/// The same by GDAL.
std::vector<std::uint8_t> burned_by_gdal(const OGRGeometry& geometry) {
    GDALAllRegister();
    const Dataset raster(GetGDALDriverManager()->GetDriverByName("MEM")->Create("", side, side, 1,
                                                                                GDT_Byte, nullptr));
    std::array<double, 6> place{0, 1, 0, side, 0, -1};
    raster->SetGeoTransform(place.data());
    int band = 1;
    double value = 1;
    auto* handle = OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&geometry));
    GDALRasterizeGeometries(GDALDataset::ToHandle(raster.get()), 1, &band, 1, &handle, nullptr,
                            nullptr, &value, nullptr, nullptr, nullptr);
    return band_of(*raster, side);
}

double number(std::uint64_t i) { return RandomStream(Seed{5}, Purpose::metric, {}).uniform(i); }

/// A star of n points, some outside the tile.
std::vector<Point> star(std::uint64_t which, int n) {
    std::vector<Point> ring;
    const Point centre{number(which * 1000) * side, number(which * 1000 + 1) * side};
    for (int k = 0; k < n; ++k) {
        const double angle = 2 * M_PI * k / n;
        const auto draw = which * 1000 + 2 + static_cast<std::uint64_t>(k);
        const double radius = 2 + 40 * number(draw);
        ring.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
    }
    return ring;
}

OGRPolygon ogr_of(const std::vector<std::vector<Point>>& rings) {
    OGRPolygon polygon;
    for (const auto& ring : rings) {
        OGRLinearRing line;
        for (const auto& p : ring) line.addPoint(p.x, p.y);
        line.closeRings();
        polygon.addRing(&line);
    }
    return polygon;
}

/// Ground with slanted holes in, on and beyond the borders of the tile.
std::vector<std::vector<Point>> ground_with_holes(double offset) {
    std::vector<std::vector<Point>> rings{{{-70, -70}, {134, -70}, {134, 134}, {-70, 134}}};
    for (double x = offset - 60; x < 110; x += 11.3)
        for (double y = offset - 61; y < 110; y += 9.7)
            rings.push_back({{x, y}, {x + 7, y + 2.2}, {x + 9, y + 7.9}, {x + 1.1, y + 6}});
    return rings;
}

/// The area that GEOS finds of it in the tile.
double area_by_geos(const OGRPolygon& polygon) {
    const OGRPolygon box = ogr_of({{{0, 0}, {side, 0}, {side, side}, {0, side}}});
    const std::unique_ptr<OGRGeometry> common(polygon.Intersection(&box));
    if (wkbFlatten(common->getGeometryType()) == wkbPolygon) return common->toPolygon()->get_Area();
    return wkbFlatten(common->getGeometryType()) == wkbMultiPolygon
               ? common->toMultiPolygon()->get_Area()
               : 0;
}

double area_in_tile(const Shapes& shapes) { return area_within(shapes.at(0), {0, 0, side, side}); }

}  // namespace

TEST_CASE("a pixel is burned when its centre is inside") {
    CHECK(count(shape_of({{{10.4, 10.4}, {13.4, 10.4}, {13.4, 13.4}, {10.4, 13.4}}})) == 9);
    CHECK(count(shape_of({{{10.6, 0}, {10.9, 0}, {10.9, 60}, {10.6, 60}}})) == 0);
    CHECK(count(shape_of({{{10.4, 0}, {10.7, 0}, {10.7, 60}, {10.4, 60}}})) == 60);
    CHECK(count(shape_of({{{-10, -10}, {100, -10}, {100, 100}, {-10, 100}}})) == side * side);
    CHECK(count(shape_of({{{-10, -10}, {-5, -10}, {-5, 100}, {-10, 100}}})) == 0);
    CHECK(count(shape_of({{{100, 10}, {105, 10}, {105, 20}, {100, 20}}})) == 0);
}

TEST_CASE("holes stay open") {
    CHECK(count(shape_of({{{0, 0}, {20, 0}, {20, 20}, {0, 20}},
                          {{5, 5}, {5, 15}, {15, 15}, {15, 5}}})) == 300);
}

TEST_CASE("the first row of pixels is the northernmost, the first column the westernmost") {
    const auto pixels = burned(shape_of({{{0, side - 1}, {3, side - 1}, {3, side}, {0, side}}}));
    CHECK(pixels[0] + pixels[1] + pixels[2] == 3);
    CHECK(std::accumulate(pixels.begin(), pixels.end(), 0) == 3);
}

TEST_CASE("pixels are GDAL's") {
    for (std::uint64_t which = 0; which < 40; ++which) {
        const auto ring = star(which, 5 + static_cast<int>(which));
        CHECK(burned(shape_of({ring})) == burned_by_gdal(ogr_of({ring})));
    }
}

TEST_CASE("neighbours share no pixel and leave none between them, centres on edges included") {
    // A fan of triangles around a point; its spokes end at whole and half metres.
    for (std::uint64_t which = 0; which < 20; ++which) {
        const Point middle{std::floor(number(which) * 40) + 12.5,
                           std::floor(number(which + 99) * 40) + 12};
        std::vector<Point> border;
        for (int k = 0; k < 8; ++k) border.push_back({8.0 * k, 0});
        for (int k = 0; k < 8; ++k) border.push_back({side, 8.0 * k});
        for (int k = 0; k < 8; ++k) border.push_back({side - 8.5 * k, side});
        for (int k = 0; k < 8; ++k) border.push_back({0, side - 7.5 * k});
        std::vector<int> times(side * side);
        for (std::size_t k = 0; k < border.size(); ++k) {
            const auto one =
                burned(shape_of({{middle, border[k], border[(k + 1) % border.size()]}}));
            for (std::size_t i = 0; i < one.size(); ++i) times[i] += one[i];
        }
        CHECK(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
    }
}

TEST_CASE("the area within a box is GEOS's") {
    for (std::uint64_t which = 0; which < 40; ++which) {
        const auto ring = star(which, 7);
        CHECK(area_in_tile(shape_of({ring})) == Approx(area_by_geos(ogr_of({ring}))).margin(1e-9));
    }
}

TEST_CASE("of holes those count that are in the tile or on its border") {
    for (double offset = 0.0137; offset < 11; offset += 0.7131) {  // no centre lies on an edge
        const auto rings = ground_with_holes(offset);
        const auto polygon = ogr_of(rings);
        CHECK(burned(shape_of(rings)) == burned_by_gdal(polygon));
        CHECK(area_in_tile(shape_of(rings)) == Approx(area_by_geos(polygon)));
    }
}

namespace {

struct Made {
    Shapes shapes;
    Tally left_out;
    double area = 0;
    Outcome outcome = Outcome::useless;
};

Made made_of(const std::string& wkt, const Purport& purport) {
    Made made;
    const auto crs = parse_crs("+proj=tmerc +lat_0=47 +lon_0=8");  // without a limited ground
    OGRGeometry* geometry = nullptr;
    OGRGeometryFactory::createFromWkt(wkt.c_str(), nullptr, &geometry);
    const std::unique_ptr<OGRGeometry> owner(geometry);
    ShapeMaker maker(crs, crs, made.shapes, made.left_out);
    made.outcome = maker.add(geometry, purport);
    for (std::int64_t i = 0; i < made.shapes.size(); ++i)
        made.area += area_within(made.shapes.at(i), {-1e6, -1e6, 1e6, 1e6});
    return made;
}

}  // namespace

TEST_CASE("curves become chords, not nothing") {
    const auto disc = made_of("CURVEPOLYGON(CIRCULARSTRING(0 0, 10 0, 0 0))", {});
    CHECK(disc.area == Approx(25 * M_PI).epsilon(0.01));
    CHECK(made_of("MULTISURFACE(CURVEPOLYGON(CIRCULARSTRING(0 0, 10 0, 0 0)))", {}).area ==
          Approx(disc.area));
}

TEST_CASE("lines are widened, or left out and counted") {
    CHECK(made_of("LINESTRING(0 0, 100 0)", {LandClass::road, 6}).area ==
          Approx(600 + 9 * M_PI).epsilon(0.01));
    const auto none = made_of("LINESTRING(0 0, 100 0)", {});
    CHECK(none.shapes.size() == 0);
    CHECK(none.left_out.at("features that are no area or road line") == 1);
    CHECK(made_of("LINESTRING(0 0, 10 0, 10 10, 0 10, 0 0)", {LandClass::road, 6, true}).area ==
          Approx(100));
}

TEST_CASE("a label beside an outline does no harm") {
    CHECK(
        made_of("GEOMETRYCOLLECTION(MULTIPOLYGON(((0 0, 10 0, 10 10, 0 10, 0 0))), POINT(5 5))", {})
            .area == Approx(100));
}

TEST_CASE("invalid polygons are mended and counted") {
    const auto bow_tie = made_of("POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))", {});
    CHECK(bow_tie.area == Approx(50));
    CHECK(bow_tie.left_out.at(mended_polygons) == 1);
    // Even-odd would make a hole of the common part.
    CHECK(
        made_of("MULTIPOLYGON(((0 0, 10 0, 10 10, 0 10, 0 0)),((5 0, 15 0, 15 10, 5 10, 5 0)))", {})
            .shapes.size() == 2);
}

TEST_CASE("features without use are counted") {
    CHECK(made_of("POLYGON EMPTY", {}).left_out.at("features without geometry") == 1);
    CHECK(made_of("POLYGON((0 0, 10 0, 0 0))", {})
              .left_out.at("features that are no area or road line") == 1);
    CHECK(made_of("POINT(1 1)", {}).left_out.at("features that are no area or road line") == 1);
}
