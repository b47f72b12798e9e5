#include "civitas/quality/figures.hpp"
#include "civitas/random/stream.hpp"
#include "drawn.hpp"
#include "quality/box_counting.hpp"
#include "quality/spectrum.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <numbers>

using namespace civitas;
using namespace civitas::quality;
using civitas::test::drawn;

namespace {

Mask random_mask(std::int64_t pixels, std::uint64_t bound) {
    Mask mask(pixels);
    const RandomStream random(Seed{4}, Purpose::metric, {});
    for (std::int64_t i = 0; i < pixels * pixels; ++i)
        mask.put({i % pixels, i / pixels}, random.below(bound, static_cast<std::uint64_t>(i)) == 0);
    return mask;
}

/// The definition of power_of().
double power_by_definition(const Mask& mask, std::int64_t frequency) {
    const std::int64_t n = mask.pixels();
    double sum = 0;
    for (std::int64_t line = 0; line < n; ++line) {
        std::complex<double> row, column;
        for (std::int64_t i = 0; i < n; ++i) {
            const auto turn =
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(frequency * i) /
                                    static_cast<double>(n));
            if (mask.at({i, line})) row += turn;
            if (mask.at({line, i})) column += turn;
        }
        sum += std::norm(row) + std::norm(column);
    }
    return sum / static_cast<double>(2 * n);
}

}  // namespace

TEST_CASE("box counting tells areas, lines and dust apart") {
    Mask full(64), line(64), dot(64);
    for (std::int64_t i = 0; i < 64 * 64; ++i) full.put({i % 64, i / 64}, true);
    for (std::int64_t i = 0; i < 64; ++i) line.put({i, 20}, true);
    dot.put({3, 3}, true);
    CHECK(box_dimension(full)->dimension == Approx(2));
    CHECK(box_dimension(full)->r_squared == Approx(1));
    CHECK(box_dimension(line)->dimension == Approx(1));
    CHECK(box_dimension(dot)->dimension == Approx(0).margin(1e-12));
    CHECK(box_dimension(dot)->r_squared == 1);
    CHECK_FALSE(box_dimension(Mask(64)).has_value());
    // Boxes of 2, 4 and 8 in 20 pixels: 100, 25, and 9, of which some are partly outside.
    Mask odd(20);
    for (std::int64_t i = 0; i < 20 * 20; ++i) odd.put({i % 20, i / 20}, true);
    CHECK(box_dimension(odd)->dimension == Approx(std::log(100 / 9.0) / std::log(8 / 2.0)));
    // Two dots are in 2, 1 and 1 boxes of 2, 4 and 8: of logarithms to 2 the best line through
    // (-1, 1), (-2, 0) and (-3, 0) rises by a half, and explains 1/2 of 2/3.
    Mask dots(16);
    for (const std::int64_t x : {0, 2}) dots.put({x, 0}, true);
    CHECK(box_dimension(dots)->dimension == Approx(0.5));
    CHECK(box_dimension(dots)->r_squared == Approx(0.75));
}

TEST_CASE("a Sierpinski carpet of halves has the dimension of its recursion") {
    // Three quarters of every square are filled again: log 3 / log 2.
    Mask sierpinski(128);
    for (std::int64_t y = 0; y < 128; ++y)
        for (std::int64_t x = 0; x < 128; ++x) sierpinski.put({x, y}, (x & y) == 0);
    const auto box = box_dimension(sierpinski);
    CHECK(box->dimension == Approx(std::log(3) / std::log(2)));
    CHECK(box->r_squared == Approx(1));
}

TEST_CASE("power is that of the discrete Fourier transform") {
    for (const std::int64_t pixels : {16, 20}) {
        const Mask mask = random_mask(pixels, 3);
        const auto power = power_of(mask);
        REQUIRE(std::ssize(power) == pixels / 2 + 1);
        for (std::int64_t f = 1; f < std::ssize(power); ++f)
            CHECK(power[static_cast<std::size_t>(f)] == Approx(power_by_definition(mask, f)));
    }
}

TEST_CASE("what is made of pairs of pixels peaks where they repeat") {
    const Mask random = random_mask(64, 3);
    const auto flat = spectrum_figures(power_of(random));
    REQUIRE(flat.has_value());
    CHECK(flat->slope == Approx(0).margin(0.2));
    CHECK(flat->nyquist_db == Approx(0).margin(1.5));
    Mask even = random;
    for (std::int64_t i = 0; i < 64 * 64; ++i)
        if (i % 2 == 1 && (i / 64) % 3 != 0) even.put({i % 64, i / 64}, false);
    CHECK(spectrum_figures(power_of(even))->nyquist_db > 5);
    Mask quarter = random;
    for (std::int64_t i = 0; i < 64 * 64; ++i)
        if (i % 4 < 2 && (i / 64) % 3 != 0) quarter.put({i % 64, i / 64}, false);
    CHECK(spectrum_figures(power_of(quarter))->half_nyquist_db > 5);
    CHECK_FALSE(spectrum_figures(power_of(Mask(64))).has_value());
}

TEST_CASE("a step falls as the square of the frequency") {
    Mask half(256);
    for (std::int64_t i = 0; i < 256 * 128; ++i) half.put({i % 128, i / 128}, true);
    // Only odd frequencies have power: the figures need all.
    CHECK_FALSE(spectrum_figures(power_of(half)).has_value());
    // Steps at different places of each row and column have all of them.
    Mask slanted(256);
    for (std::int64_t y = 0; y < 256; ++y)
        for (std::int64_t x = 0; x < 32 + 3 * y / 4; ++x) slanted.put({x, y}, true);
    CHECK(spectrum_figures(power_of(slanted))->slope == Approx(-2).margin(0.15));
}

TEST_CASE("the figures of texture are of buildings, of roads, and of the power of both") {
    // Buildings fill the northern half and have no power of even frequencies; the road is a dot,
    // and has as much of each.
    std::vector<std::string> rows(64, std::string(64, '.'));
    for (std::size_t y = 0; y < 32; ++y) rows[y] = std::string(64, '#');
    const auto values = [&](std::string_view key) {
        for (const FigureGroup& group : figures_of(drawn(rows)))
            for (const Figure& figure : group.figures)
                if (figure.key == key) return figure.values;
        return std::vector<double>{-1};
    };
    CHECK(values("spectrum_slope").empty());
    rows[50][7] = '+';
    CHECK(values("spectrum_slope").size() == 1);
    CHECK(values("building_box_dimension")[0] == Approx(2));
    CHECK(values("road_box_dimension")[0] == Approx(0).margin(1e-12));
}
