#include "civitas/quality/figures.hpp"
#include "drawn.hpp"
#include "quality/object.hpp"
#include "quality/rectangle.hpp"
#include "quality/spacing.hpp"

#include <algorithm>
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

/// A square turned by an angle.
Mask turned_square(double side, double angle) {
    Mask mask(200);
    for (std::int64_t y = 0; y < 200; ++y)
        for (std::int64_t x = 0; x < 200; ++x) {
            const auto dx = static_cast<double>(x) - 99.5, dy = static_cast<double>(y) - 99.5;
            const double u = dx * std::cos(angle) + dy * std::sin(angle);
            const double v = dy * std::cos(angle) - dx * std::sin(angle);
            mask.put({x, y}, std::abs(u) < side / 2 && std::abs(v) < side / 2);
        }
    return mask;
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

TEST_CASE("the figures of buildings have units of the ground") {
    const auto groups = figures_of(drawn(padded({"####....",  //
                                                 "#..#....",  //
                                                 "####..##",  //
                                                 "####..##"},
                                                16),
                                         5));
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [](const FigureGroup& g) { return g.title == "Buildings"; });
    REQUIRE(group != groups.end());
    const auto values = [&](std::string_view key) {
        const auto f = std::find_if(group->figures.begin(), group->figures.end(),
                                    [&](const Figure& figure) { return figure.key == key; });
        REQUIRE(f != group->figures.end());
        return f->values;
    };
    CHECK(values("building_count")[0] == Approx(2 / 0.64));
    CHECK(values("building_area") == std::vector<double>{14 * 25, 4 * 25});
    CHECK(values("building_courtyards") == std::vector<double>{1, 0});
    CHECK(values("building_spacing") == std::vector<double>{10, 10});
    CHECK(values("building_rectangularity") == std::vector<double>{14 / 16.0, 1});
    CHECK(values("building_elongation") == std::vector<double>{1, 1});
    CHECK(values("building_shape")[1] ==
          Approx(std::numbers::pi / 2 * (8 + 12 / std::numbers::sqrt2) / 4 / 8));
}
