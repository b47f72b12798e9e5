// What an outline costs, and which is the cheapest.
#include "preprocess/vectorize/described.hpp"

#include "preprocess/vectorize/direction.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numbers>

using namespace civitas::vectorize;

namespace {

/// The cracks of a ring in the middle of open ground.
std::vector<Crack> cracks_of(const Ring& ring) {
    const ClassRaster raster{60, std::vector<std::uint8_t>(3600, kOther)};
    return cracks(ring, raster, kBuilding);
}

/// A rectangle of 30 x 20 pixels with a notch in its upper side.
Ring notched(double width, double depth) {
    const double left = 25 - width / 2, right = 25 + width / 2;
    return {{10, 10},           {40, 10},   {40, 30}, {right, 30}, {right, 30 - depth},
            {left, 30 - depth}, {left, 30}, {10, 30}};
}

std::size_t edges_of(const Ring& ring, const Prices& prices) {
    return described(cracks_of(ring), 0, prices).edges.size();
}

}  // namespace

TEST_CASE("A rectangle costs four edges, and no residual") {
    const auto outline = described(cracks_of({{10, 10}, {40, 10}, {40, 30}, {10, 30}}), 0, {4, 20});
    REQUIRE(outline.edges.size() == 4);
    CHECK(outline.cost == Approx(16));
    CHECK(outline.residual == Approx(0).margin(1e-9));
    CHECK(std::abs(area(closed_outline(outline.edges))) == Approx(600));
}

TEST_CASE("A notch is drawn when its residual costs more than its four edges") {
    // Without them the wall's 30 cracks and the notch's stand for one edge: the squared distances
    // from their mean, 6.75 for 2 x 1 pixels and 226 for 6 x 4, against four edges at 4 each.
    CHECK(edges_of(notched(2, 1), {4, 1e9}) == 4);
    CHECK(edges_of(notched(6, 4), {4, 1e9}) == 8);
    CHECK(edges_of(notched(6, 4), {80, 1e9}) == 4);
}

TEST_CASE("An L is one where two edges more cost less than its notch") {
    const auto ring = cracks_of({{10, 10}, {40, 10}, {40, 24}, {30, 24}, {30, 30}, {10, 30}});
    CHECK(described(ring, 0, {4, 1e9}).cost == Approx(6 * 4));
    const auto coarse = described(ring, 0, {200, 1e9});
    CHECK(coarse.edges.size() == 4);
    CHECK(coarse.cost - coarse.residual == Approx(4 * 200));
}

TEST_CASE("Right angles in any direction are found from one that is somewhat off") {
    const double angle = 0.35;
    const Point u{std::cos(angle), std::sin(angle)}, v = turned_left(u);
    ClassRaster raster{60, std::vector<std::uint8_t>(3600, kOther)};
    for (int row = 0; row < 60; ++row) {
        for (int column = 0; column < 60; ++column) {
            const Point p = Point{column + 0.5, 59.5 - row} - Point{30, 30};
            if (std::abs(dot(p, u)) < 18 && std::abs(dot(p, v)) < 9)
                raster.classes[static_cast<std::size_t>(60 * row + column)] = kBuilding;
        }
    }
    for (const auto& region : regions(raster)) {
        if (region.land_class != kBuilding) continue;
        const auto ring = cracks(region.shape.outer, raster, kBuilding);
        CHECK(moment_direction(region.shape.outer) == Approx(angle).margin(0.03));
        const auto outline = described(ring, std::vector{angle - 0.1}, {4, 20});
        CHECK(outline.edges.size() == 4);
        CHECK(outline.direction == Approx(angle).margin(0.02));
        CHECK(outline.residual < 0.15 * static_cast<double>(ring.size()));
    }
}

TEST_CASE("Stretches on the tile's border stay there and cost nothing") {
    ClassRaster raster{40, std::vector<std::uint8_t>(1600, kOther)};
    const Ring ring{{0, 10}, {12, 10}, {12, 22}, {0, 22}};  // at the western border
    for (std::size_t row = 18; row < 30; ++row) {
        std::fill_n(raster.classes.begin() + static_cast<std::ptrdiff_t>(40 * row), 12, kBuilding);
    }
    const auto outline = described(cracks(ring, raster, kBuilding), 0, {4, 20});
    REQUIRE(outline.edges.size() == 4);
    CHECK(std::count_if(outline.edges.begin(), outline.edges.end(),
                        [](const Edge& e) { return e.fixed; }) == 1);
    CHECK(outline.cost == Approx(12));
    CHECK(std::abs(area(closed_outline(outline.edges))) == Approx(144));
}

TEST_CASE("Many cracks are looked at in steps, and corners still come out exact") {
    ClassRaster raster{400, std::vector<std::uint8_t>(160000, kOther)};
    const Ring ring{{11, 13}, {381, 13}, {381, 217}, {147, 217}, {147, 301}, {11, 301}};
    const auto outline = described(cracks(ring, raster, kBuilding), 0, {4, 20});
    CHECK(outline.edges.size() == 6);
    const auto drawn = closed_outline(outline.edges);
    for (const Point p : ring) CHECK(distance(p, nearest_on_ring(p, drawn)) < 0.01);
}
