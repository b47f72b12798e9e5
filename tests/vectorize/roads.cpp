// Centre lines of roads.
#include "checks.hpp"
#include "fields.hpp"
#include "maps.hpp"
#include "preprocess/vectorize/axes.hpp"
#include "preprocess/vectorize/held_tiles.hpp"

#include <array>
#include <map>
#include <numeric>

using namespace civitas;
using namespace civitas::vectorize;
using namespace civitas::test;
using namespace civitas::vectorize::checks;

namespace {

using Key = std::pair<double, double>;
Key key(Point p) { return {p.x, p.y}; }

std::vector<RoadAxis> axes_of(const ClassRaster& raster) { return road_axes(alone(raster), 0.75); }

/// How many lines end at each point.
std::map<Key, int> ends_of(const std::vector<RoadAxis>& axes) {
    std::map<Key, int> ends;
    for (const auto& axis : axes) ++ends[key(axis.points.front())], ++ends[key(axis.points.back())];
    return ends;
}

/// Parts of the graph that hang together through equal points.
std::size_t parts_of(const std::vector<RoadAxis>& axes) {
    std::map<Key, Key> leader;
    const auto find = [&](Key k) {
        while (leader.at(k) != k) k = leader.at(k);
        return k;
    };
    for (const auto& axis : axes) {
        const Key a = key(axis.points.front()), b = key(axis.points.back());
        leader.emplace(a, a), leader.emplace(b, b);
        leader[find(a)] = find(b);
    }
    return static_cast<std::size_t>(
        std::count_if(leader.begin(), leader.end(),
                      [](const auto& entry) { return entry.first == entry.second; }));
}

struct Extent {
    int low_column, high_column, low_row, high_row;
    [[nodiscard]] int longer() const {
        return std::max(high_column - low_column, high_row - low_row);
    }
};

/// Of the roads' pixels that hang together over edges and corners.
std::vector<Extent> road_parts(ClassRaster raster) {
    std::vector<Extent> parts;
    const int n = raster.side;
    const auto at = [&](int row, int column) -> std::uint8_t& {
        return raster.classes[static_cast<std::size_t>(row * n + column)];
    };
    for (int start = 0; start < n * n; ++start) {
        if (at(start / n, start % n) != kRoad) continue;
        std::vector<std::pair<int, int>> open{{start / n, start % n}};
        at(start / n, start % n) = kOther;
        Extent extent{start % n, start % n, start / n, start / n};
        while (!open.empty()) {
            const auto [row, column] = open.back();
            open.pop_back();
            extent = {std::min(extent.low_column, column), std::max(extent.high_column, column),
                      std::min(extent.low_row, row), std::max(extent.high_row, row)};
            for (int r = std::max(0, row - 1); r <= std::min(n - 1, row + 1); ++r) {
                for (int c = std::max(0, column - 1); c <= std::min(n - 1, column + 1); ++c) {
                    if (at(r, c) != kRoad) continue;
                    at(r, c) = kOther;
                    open.emplace_back(r, c);
                }
            }
        }
        parts.push_back(extent);
    }
    return parts;
}

/// The lines of those quarters of a square that are there, from the north-west row by row, each
/// traced by itself with what lies around it, in the square's frame.
std::vector<RoadAxis> axes_of_quarters(const ClassRaster& whole, const std::array<bool, 4>& there) {
    const int side = whole.side / 2;
    std::vector<RoadAxis> all;
    for (const int quarter : {0, 1, 2, 3}) {
        if (!there.at(static_cast<std::size_t>(quarter))) continue;
        const int column = quarter % 2, row = quarter / 2;
        TilesAround around{.side = side};
        for (const int tile : {0, 1, 2, 3})
            around.there.at(
                static_cast<std::size_t>(3 * (1 + tile / 2 - row) + 1 + tile % 2 - column)) =
                there.at(static_cast<std::size_t>(tile));
        const auto tile = in_context(around, std::min(side, 64), [&](PlaceInTile p) {
            const int x = column * side + p.column, y = row * side + p.row;
            return whole.classes[static_cast<std::size_t>(y * whole.side + x)];
        });
        const Point corner{static_cast<double>(column * side),
                           static_cast<double>((1 - row) * side)};
        for (auto& axis : road_axes(tile, 0.75)) {
            for (Point& p : axis.points) p = p + corner;
            all.push_back(std::move(axis));
        }
    }
    return all;
}

}  // namespace

TEST_CASE("A street's centre line runs from border to border, as wide as the street") {
    for (const double degrees : {0.0, 23.0, 45.0, 80.0}) {
        const auto raster = drawn({{turned_rectangle({64, 64}, 300, 9, degrees), kRoad}}, 128);
        const auto axes = axes_of(raster);
        REQUIRE(axes.size() == 1);
        CHECK(axes[0].width == Approx(9).margin(1.2));
        const double angle = degrees * 3.14159265358979 / 180;
        for (const Point p : axes[0].points) {
            const double off = cross({std::cos(angle), std::sin(angle)}, p - Point{64, 64});
            CHECK(std::abs(off) < 4.5);
        }
        for (const Point p : {axes[0].points.front(), axes[0].points.back()}) {
            CHECK((p.x == 0 || p.y == 0 || p.x == 128 || p.y == 128));
        }
    }
}

TEST_CASE("Four streets meet in one point that all share") {
    const auto raster = drawn({{turned_rectangle({64, 64}, 300, 8, 10), kRoad},
                               {turned_rectangle({64, 64}, 12, 300, 10), kRoad}},
                              128);
    const auto axes = axes_of(raster);
    CHECK(axes.size() == 4);
    const auto ends = ends_of(axes);
    CHECK(ends.size() == 5);
    const auto junction =
        std::find_if(ends.begin(), ends.end(), [](auto& end) { return end.second == 4; });
    REQUIRE(junction != ends.end());
    CHECK(distance({junction->first.first, junction->first.second}, {64, 64}) < 3);
    std::vector<double> widths;
    for (const auto& axis : axes) widths.push_back(axis.width);
    std::sort(widths.begin(), widths.end());
    CHECK(widths[1] == Approx(8).margin(1.2));
    CHECK(widths[2] == Approx(12).margin(1.2));
}

TEST_CASE("A road around a square is one closed line, a dead end has an end") {
    auto around = turned_rectangle({50, 64}, 60, 60, 0);
    around.holes.push_back(turned_rectangle({50, 64}, 44, 44, 0).outer);
    const auto ring = axes_of(drawn({{around, kRoad}}, 128));
    REQUIRE(ring.size() == 1);
    CHECK(ring[0].points.front() == ring[0].points.back());
    CHECK(std::abs(area(Ring(ring[0].points.begin(), ring[0].points.end() - 1))) ==
          Approx(52 * 52).epsilon(0.08));
    const auto lane = turned_rectangle({95, 64}, 40, 6, 0);
    const auto both = axes_of(drawn({{around, kRoad}, {lane, kRoad}}, 128));
    CHECK(both.size() == 2);
    CHECK(parts_of(both) == 1);
    CHECK(axes_of(drawn({{turned_rectangle({64, 64}, 30, 6, 0), kRoad}}, 128)).size() == 1);
}

TEST_CASE("The corners of a wide road have no centre lines of their own") {
    for (const double width : {12.0, 24.0}) {
        INFO(width << " pixels wide");
        const auto square = turned_rectangle({64, 64}, 80, width, 23);
        CHECK(axes_of(drawn({{square, kRoad}}, 128)).size() == 1);
    }
}

TEST_CASE("Roads that hang together have centre lines that do") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        const auto raster = plan_from_fields(96, seed);
        const auto axes = axes_of(raster);
        const auto parts = road_parts(raster);
        const auto long_ones = std::count_if(parts.begin(), parts.end(),
                                             [](const Extent& e) { return e.longer() > 40; });
        CHECK(parts_of(axes) <= parts.size());
        CHECK(parts_of(axes) >= static_cast<std::size_t>(long_ones));
        for (const auto& axis : axes) {
            CHECK(axis.width >= 1);
            for (const Point p : axis.points) {
                CHECK((p.x >= 0 && p.y >= 0 && p.x <= 96 && p.y <= 96));
            }
        }
    }
}

TEST_CASE("Centre lines of two tiles side by side meet where roads cross their border") {
    std::size_t crossings = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        const auto whole = plan_from_fields(192, seed);
        const auto axes = axes_of_quarters(whole, {true, true, true, true});
        const auto parts = road_parts(whole);
        const auto long_ones = std::count_if(parts.begin(), parts.end(),
                                             [](const Extent& e) { return e.longer() > 40; });
        CHECK(parts_of(axes) <= parts.size());
        CHECK(parts_of(axes) >= static_cast<std::size_t>(long_ones));
        for (const auto& [place, lines] : ends_of(axes)) {
            const auto [x, y] = place;
            if (x == 0 || y == 0 || x == 192 || y == 192 || (x != 96 && y != 96)) continue;
            CHECK(lines == 2);
            ++crossings;
        }
    }
    CHECK(crossings > 100);
}

TEST_CASE("Centre lines meet beside a tile that is missing, too") {
    std::size_t crossings = 0;
    for (unsigned seed = 0; seed < 80; ++seed) {
        std::array<bool, 4> there{true, true, true, true};
        const unsigned missing = seed % 4;
        there.at(missing) = false;
        INFO("seed " << seed << ", missing " << missing);
        for (const auto& [place, lines] :
             ends_of(axes_of_quarters(plan_from_fields(192, seed), there))) {
            const auto [x, y] = place;
            const bool on_upright = x == 96 && y > 0 && y < 192 && (y > 96) == (missing > 1);
            const bool on_level = y == 96 && x > 0 && x < 192 && (x < 96) == (missing % 2 == 1);
            if (y == 96 && x == 96) continue;
            if (!on_upright && !on_level) continue;
            CHECK(lines == 2);
            ++crossings;
        }
    }
    CHECK(crossings > 100);
}

TEST_CASE("A tile that is asked for again stays while as many others as are held are asked for") {
    HeldTiles held(1, {.tiles = 3, .bytes = 2});
    int made = 0;
    const auto get = [&](int tile) {
        const auto& raster = held.get(tile, [&] {
            ++made;
            return ClassRaster{tile, {}};
        });
        return raster.side;
    };
    for (const int tile : {1, 2, 3, 1, 4}) CHECK(get(tile) == tile);
    CHECK(made == 4);
    CHECK(get(1) == 1);
    CHECK(get(3) == 3);
    CHECK(made == 4);
    CHECK(get(2) == 2);
    CHECK(made == 5);
}
