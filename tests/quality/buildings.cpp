#include "civitas/quality/figures.hpp"
#include "drawn.hpp"
#include "quality/object.hpp"
#include "quality/outline.hpp"
#include "quality/rectangle.hpp"
#include "quality/spacing.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace civitas::quality;
using civitas::test::drawn;
using civitas::test::mask_of;
using civitas::test::padded;

namespace {

std::vector<Pixel> pixels_of(const Mask& mask) {
    std::vector<Pixel> pixels;
    mask.each([&](Pixel p) { pixels.push_back(p); });
    return pixels;
}

Mask disc(std::int64_t pixels, double radius) {
    Mask mask(pixels);
    const double middle = static_cast<double>(pixels - 1) / 2;
    for (std::int64_t y = 0; y < pixels; ++y)
        for (std::int64_t x = 0; x < pixels; ++x)
            mask.put({x, y}, std::hypot(static_cast<double>(x) - middle,
                                        static_cast<double>(y) - middle) < radius);
    return mask;
}

/// A rectangle turned by an angle.
Mask turned_rectangle(double length, double width, double angle) {
    Mask mask(200);
    for (std::int64_t y = 0; y < 200; ++y)
        for (std::int64_t x = 0; x < 200; ++x) {
            const auto dx = static_cast<double>(x) - 99.5, dy = static_cast<double>(y) - 99.5;
            const double u = dx * std::cos(angle) + dy * std::sin(angle);
            const double v = dy * std::cos(angle) - dx * std::sin(angle);
            mask.put({x, y}, std::abs(u) < length / 2 && std::abs(v) < width / 2);
        }
    return mask;
}

Mask turned_square(double side, double angle) { return turned_rectangle(side, side, angle); }

/// A square of pixels without what is cut off its first corners, in the order of rows, at 45
/// degrees.
Mask cut_square(std::int64_t side, std::int64_t cut, int corners) {
    Mask mask(side);
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            const std::int64_t east = side - 1 - x, south = side - 1 - y;
            const std::array<std::int64_t, 4> from{x + y, east + y, x + south, east + south};
            mask.put({x, y}, *std::min_element(from.begin(), from.begin() + corners) >= cut);
        }
    return mask;
}

Mask mirrored(const Mask& mask) {
    Mask copy(mask.pixels());
    mask.each([&](Pixel p) { copy.put({mask.pixels() - 1 - p.x, p.y}, true); });
    return copy;
}

Mask turned(const Mask& mask) {
    Mask copy(mask.pixels());
    mask.each([&](Pixel p) { copy.put({mask.pixels() - 1 - p.y, p.x}, true); });
    return copy;
}

Ring corners_of(const Mask& mask) { return simplified(outline_of(pixels_of(mask))); }
Ring corners_of(const std::vector<std::string>& rows) { return corners_of(mask_of(rows)); }

std::vector<double> values_of(const ClassMap& map, std::string_view key) {
    const auto groups = figures_of(map);
    for (const FigureGroup& group : groups)
        for (const Figure& figure : group.figures)
            if (figure.key == key) return figure.values;
    FAIL("no figure " << key);
    return {};
}

}  // namespace

TEST_CASE("the perimeter is nearly that of what is drawn, at any angle") {
    CHECK(sizes_of(pixels_of(disc(101, 50))).perimeter ==
          Approx(100 * std::numbers::pi).epsilon(0.01));
    for (const double degrees : {0.0, 10.0, 30.0, 45.0, 70.0}) {
        const auto pixels = pixels_of(turned_square(100, degrees * std::numbers::pi / 180));
        INFO(degrees);
        CHECK(sizes_of(pixels).perimeter == Approx(400).epsilon(0.06));
    }
    // One pixel is met twice by lines of each direction.
    CHECK(sizes_of(std::vector<Pixel>{{5, 5}}).perimeter ==
          Approx(std::numbers::pi / 2 * (4 + 4 / std::numbers::sqrt2) / 4));
}

TEST_CASE("courtyards are what a building encloses") {
    const auto holes = [](const std::vector<std::string>& rows) {
        return sizes_of(pixels_of(mask_of(rows))).holes;
    };
    CHECK(holes({"...", ".#.", "..."}) == 0);
    CHECK(holes({"###", "#.#", "###"}) == 1);
    CHECK(holes({"###", "#.#", "##."}) == 0);  // it opens by a corner
    CHECK(holes({"#####", "#.#.#", "#####", "##..#", "#####"}) == 3);
    CHECK(holes({"#####", "#.###", "##.##", "#####", "#####"}) == 1);  // they meet by a corner
}

TEST_CASE("the smallest rectangle around pixels") {
    const Rectangle straight =
        smallest_rectangle(pixels_of(mask_of({"....", "####", "####", "...."})));
    CHECK(straight.length == Approx(4));
    CHECK(straight.width == Approx(2));
    CHECK(straight.angle == Approx(0).margin(1e-12));
    // A diagonal of three pixels: sqrt(2) wide, 3 sqrt(2) long, at 45 degrees.
    const Rectangle diagonal = smallest_rectangle(std::vector<Pixel>{{0, 0}, {1, 1}, {2, 2}});
    CHECK(diagonal.length == Approx(3 * std::numbers::sqrt2));
    CHECK(diagonal.width == Approx(std::numbers::sqrt2));
    CHECK(diagonal.angle == Approx(std::numbers::pi / 4));
    // Around this one, rectangles along the grid and at atan(1/2) have 16 pixels each.
    const Rectangle either =
        smallest_rectangle(pixels_of(mask_of({"..#.", "###.", ".###", ".###"})));
    CHECK(either.area() == Approx(16));
    CHECK(either.angle == Approx(0).margin(1e-12));
    const Rectangle turned =
        smallest_rectangle(pixels_of(turned_square(120, 20 * std::numbers::pi / 180)));
    CHECK(turned.angle * 180 / std::numbers::pi == Approx(20).margin(1));
    Mask slope(24);  // at atan(3) = 71.6 degrees to the rows, 18.4 to the columns
    for (std::int64_t y = 0; y < 24; ++y)
        for (std::int64_t x = 0; x < 4; ++x) slope.put({x + y / 3, y}, true);
    CHECK(smallest_rectangle(pixels_of(slope)).angle == Approx(std::atan(1 / 3.0)));
    CHECK(turned.length == Approx(120).epsilon(0.02));
    CHECK(turned.width == Approx(120).epsilon(0.02));
}

TEST_CASE("spacing is between the squares that pixels are") {
    const auto spacing = [](const std::vector<std::string>& rows) {
        const Mask mask = mask_of(rows);
        return spacing_of(components_of(mask, Neighbours::four), mask.pixels());
    };
    CHECK(spacing({"##....", "......", "......", "......", "....##", "......"}) ==
          std::vector<double>(2, std::sqrt(2.0 * 2 + 3 * 3)));
    CHECK(spacing({"#..", ".#.", "..."}) == std::vector<double>{0, 0});
    CHECK(spacing({"#...#.#", ".......", ".......", ".......", ".......", ".......", "......."}) ==
          std::vector<double>{3, 1, 1});
    // Along the grid 4 apart, by a corner sqrt(3^2 + 3^2) > 4, though the ring is nearer.
    CHECK(spacing({"#....#..", "........", "........", "........", "....#...", "........",
                   "........", "........"})[0] == 4);
    CHECK(spacing({"#..", "#..", "..."}).empty());
}

TEST_CASE("an outline runs clockwise around the outer border, and not across corners") {
    const auto outline = [](const std::vector<std::string>& rows) {
        return outline_of(pixels_of(mask_of(rows)));
    };
    CHECK(outline({"....", ".#..", "....", "...."}) == Ring{{0, 0}, {1, 0}, {1, 1}, {0, 1}});
    CHECK(outline({"..#", "###", "..."}) == Ring{{2, 0}, {3, 0}, {3, 2}, {0, 2}, {0, 1}, {2, 1}});
    CHECK(outline({"####", "#..#", "#..#", "####"}) == Ring{{0, 0}, {4, 0}, {4, 4}, {0, 4}});
    // A yard that opens by a corner is outside: there the outline passes twice.
    CHECK(outline({"###", "#.#", "##."}) ==
          Ring{{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}, {0, 3}});
}

TEST_CASE("a simplified outline has corners farther apart than stairs are") {
    CHECK(corners_of({"##", "##"}) == Ring{{0, 0}, {2, 0}, {2, 2}, {0, 2}});  // sqrt(2) off
    CHECK(corners_of({"####", "....", "....", "...."}).size() == 2);
    // {2, 3} is 2 / sqrt(10) pixels from the side that passes it.
    CHECK(corners_of({"###", "###", "##."}) == Ring{{0, 0}, {3, 0}, {3, 2}, {0, 3}});
    // {2, 0} and {4, 2} are as far from the diagonal: the first is kept, and then the other goes.
    CHECK(corners_of({"##..", "##..", "####", "####"}) == Ring{{0, 0}, {2, 0}, {4, 4}, {0, 4}});
    CHECK(corners_of({"########", "########", "########", "########", "####....", "####....",
                      "####....", "####...."}) ==
          Ring{{0, 0}, {8, 0}, {8, 4}, {4, 4}, {4, 8}, {0, 8}});
    CHECK(corners_of(turned_square(100, std::numbers::pi / 4)).size() == 4);
    CHECK(corners_of(cut_square(18, 6, 4)).size() == 8);
}

TEST_CASE("right angles among corners, inner and outer") {
    const auto share = [](const Mask& mask) { return right_angles(corners_of(mask)); };
    CHECK(right_angles({{0, 0}, {8, 0}, {8, 4}, {4, 4}, {4, 8}, {0, 8}}) == 1);
    CHECK(right_angles({{0, 0}, {40, 0}, {40, 40}, {20, 60}, {0, 40}}) == 3 / 5.0);
    // 9.9 and 10.1 degrees off, at two corners each.
    const auto slanting = [](double degrees) {
        const auto off =
            static_cast<std::int64_t>(10000 * std::tan(degrees * std::numbers::pi / 180));
        return right_angles({{0, 0}, {20000, 0}, {20000 + off, 10000}, {off, 10000}});
    };
    CHECK(slanting(9.9) == 1);
    CHECK(slanting(10.1) == 0);
    CHECK(share(cut_square(24, 12, 1)) == 3 / 5.0);
    CHECK(share(cut_square(24, 12, 2)) == 3 / 5.0);  // a gable: its ridge, too
    CHECK(share(cut_square(18, 6, 4)) == 0);         // an octagon
    for (const double radius : {6.0, 10.0, 20.0, 40.0}) CHECK(share(disc(100, radius)) == 0);
    double all = 0;
    for (int degrees = 0; degrees < 90; ++degrees)
        all += share(turned_rectangle(20, 12, degrees * std::numbers::pi / 180));
    CHECK(all / 90 > 0.85);
    for (const double degrees : {0.0, 7.0, 21.0, 45.0, 63.0, 80.0}) {
        INFO(degrees);
        CHECK(share(turned_rectangle(60, 40, degrees * std::numbers::pi / 180)) == 1);
    }
}

TEST_CASE("copies have the same right angles where no two vertices are as far") {
    Mask mask = turned_rectangle(61, 23, 0.3);
    turned_rectangle(17, 50, 0.3).each([&](Pixel p) { mask.put({p.x + 19, p.y + 4}, true); });
    const double share = right_angles(corners_of(mask));
    CHECK((share > 0.5 && share < 1));
    for (int turn = 0; turn < 4; ++turn, mask = turned(mask)) {
        CHECK(right_angles(corners_of(mask)) == share);
        CHECK(right_angles(corners_of(mirrored(mask))) == share);
    }
}

TEST_CASE("a building that is a pixel wide has no right angles, one with a yard those around it") {
    const auto map = drawn(padded({"######..######",  //
                                   "........#....#",  //
                                   ".###....#....#",  //
                                   ".###....#....#",  //
                                   ".###....#....#",  //
                                   "....##..######",  //
                                   "....##........"},
                                  16));
    CHECK(values_of(map, "building_right_angles") == std::vector<double>{1, 1, 1});
    CHECK(values_of(map, "building_area").size() == 4);
}

TEST_CASE("the figures of buildings have units of the ground") {
    const auto map = drawn(padded({"####....",  //
                                   "#..#....",  //
                                   "####..##",  //
                                   "####..##"},
                                  16),
                           5);
    const auto values = [&](std::string_view key) { return values_of(map, key); };
    CHECK(values("building_count")[0] == Approx(2 / 0.64));
    CHECK(values("building_area") == std::vector<double>{14 * 25, 4 * 25});
    CHECK(values("building_courtyards") == std::vector<double>{1, 0});
    CHECK(values("building_spacing") == std::vector<double>{10, 10});
    CHECK(values("building_rectangularity") == std::vector<double>{14 / 16.0, 1});
    CHECK(values("building_right_angles") == std::vector<double>{1, 1});
    CHECK(values("building_elongation") == std::vector<double>{1, 1});
    CHECK(values("building_shape")[1] ==
          Approx(std::numbers::pi / 2 * (8 + 12 / std::numbers::sqrt2) / 4 / 8));
    // Eight rows of two pixels, each one further east: at 45 degrees 17 halves of a pixel's
    // diagonal long and 3 wide, around 16 pixels.
    std::vector<std::string> rows;
    for (std::size_t y = 0; y < 8; ++y) rows.push_back(std::string(y, '.') + "##");
    const auto stairs = drawn(padded(rows, 16), 5);
    CHECK(values_of(stairs, "building_elongation")[0] == Approx(3 / 17.0));
    CHECK(values_of(stairs, "building_orientation")[0] == Approx(45));
    CHECK(values_of(stairs, "building_rectangularity")[0] == Approx(16 / (17 * 3 / 2.0)));
}
