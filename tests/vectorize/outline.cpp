#include "preprocess/vectorize/outline.hpp"

#include "preprocess/vectorize/described.hpp"
#include "preprocess/vectorize/direction.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas::vectorize;

namespace {

/// From (0, 0) over (10, height) to (20, 0).
std::vector<Point> roof(double height) {
    std::vector<Point> points;
    for (int x = 0; x <= 20; ++x)
        points.push_back({1.0 * x, height * (1 - std::abs(x - 10) / 10.0)});
    return points;
}

Edge edge(Point from, Point to) {
    return {{0.5 * (from + to), unit(to - from)}, distance(from, to), from, false, -1};
}

}  // namespace

TEST_CASE("Simplification keeps what is farther than the tolerance, and only that") {
    CHECK(simplified(roof(0.9), 1) == std::vector<std::size_t>{0, 20});
    CHECK(simplified(roof(1.5), 1) == std::vector<std::size_t>{0, 10, 20});
}

TEST_CASE("Where a closed line starts does not matter") {
    std::vector<Point> around;
    for (int i = 0; i < 10; ++i) around.push_back({i + 0.5, 0});
    for (int i = 0; i < 10; ++i) around.push_back({10, i + 0.5});
    for (int i = 0; i < 10; ++i) around.push_back({9.5 - i, 10});
    for (int i = 0; i < 10; ++i) around.push_back({0, 9.5 - i});
    for (int turn = 0; turn < 40; ++turn) {
        std::rotate(around.begin(), around.begin() + 1, around.end());
        CHECK(simplified_closed(around, 1).size() == 4);
    }
    // What is farthest from all others is no corner where it lies within the tolerance of a side.
    const std::vector<Point> bulging{{0, 0},  {20, 0}, {40, 0}, {40.6, 2},
                                     {40, 4}, {20, 4}, {0, 4},  {-0.6, 2}};
    for (std::size_t turn = 0; turn < bulging.size(); ++turn) {
        auto points = bulging;
        std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(turn),
                    points.end());
        CHECK(simplified_closed(points, 1).size() == 4);
    }
}

TEST_CASE("Cracks know what lies beyond them") {
    ClassRaster raster{4, std::vector<std::uint8_t>(16, kOther)};
    raster.classes[4] = kBuilding;  // west border, second row
    raster.classes[5] = kRoad;
    const auto all = regions(raster);
    const auto building = std::find_if(all.begin(), all.end(), [](const Region& region) {
        return region.land_class == kBuilding;
    });
    REQUIRE(building != all.end());
    Ring ring = building->shape.outer;
    for (const bool backwards : {false, true}) {
        if (backwards) std::reverse(ring.begin(), ring.end());
        const auto steps = cracks(ring, raster, kBuilding);
        REQUIRE(steps.size() == 4);
        const auto count = [&](std::uint8_t beyond) {
            return std::count_if(steps.begin(), steps.end(),
                                 [&](const Crack& c) { return c.beyond == beyond; });
        };
        CHECK(count(kOther) == 2);
        CHECK(count(kRoad) == 1);
        CHECK(count(kOutside) == 1);
    }
}

TEST_CASE("The main direction is that of the long walls, whatever the order of the edges") {
    const double angle = 0.3;
    const Point u{std::cos(angle), std::sin(angle)}, v = turned_left(u);
    std::vector<Edge> edges{edge({0, 0}, 20 * u), edge(20 * u, 20 * u + 10 * v),
                            edge(20 * u + 10 * v, 10 * v), edge(10 * v, {0, 0})};
    const auto direction = main_direction(edges);
    REQUIRE(direction);
    CHECK(*direction == Approx(angle).margin(1e-9));
    // Many short walls at 45 degrees to them change nothing.
    for (int i = 0; i < 6; ++i) edges.push_back(edge({0, 0}, u + v));
    CHECK(*main_direction(edges) == Approx(angle).margin(1e-9));
}

TEST_CASE("Interior angles of an L") {
    const Ring l{{0, 0}, {4, 0}, {4, 2}, {2, 2}, {2, 4}, {0, 4}};
    const std::vector<double> expected{90, 90, 90, 270, 90, 90};
    const auto found = angles(l);
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]));
    auto backwards = l;
    std::reverse(backwards.begin(), backwards.end());
    CHECK(std::count_if(found.begin(), found.end(), [](double a) { return a > 180; }) == 1);
    const auto turned = angles(backwards);
    CHECK(std::count_if(turned.begin(), turned.end(), [](double a) { return a > 180; }) == 1);
}
