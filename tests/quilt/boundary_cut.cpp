#include "quilt/boundary_cut.hpp"

#include "civitas/random/stream.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

using namespace civitas;
using namespace civitas::quilt;

namespace {

OverlapError random_error(std::int64_t length, std::int64_t width, std::uint64_t number) {
    OverlapError error{length, width, {}};
    const RandomStream random(Seed{5}, Purpose::metric, {1, number});
    for (std::int64_t i = 0; i < length * width; ++i)
        error.cells.push_back(
            static_cast<std::int64_t>(random.below(20, static_cast<std::uint64_t>(i))));
    return error;
}

std::int64_t sum_along(const OverlapError& error, const std::vector<std::int64_t>& cut) {
    std::int64_t sum = 0;
    for (std::int64_t y = 0; y < error.length; ++y)
        sum += error.cells[static_cast<std::size_t>(y * error.width) +
                           static_cast<std::size_t>(cut[static_cast<std::size_t>(y)])];
    return sum;
}

/// The least sum of all cuts that begin at a cell, by trying them all.
std::int64_t least_from(const OverlapError& error, std::int64_t y, std::int64_t x) {
    if (x < 0 || x >= error.width) return 1'000'000;
    const std::int64_t here = error.cells[static_cast<std::size_t>(y * error.width + x)];
    if (y + 1 == error.length) return here;
    return here + std::min({least_from(error, y + 1, x - 1), least_from(error, y + 1, x),
                            least_from(error, y + 1, x + 1)});
}

}  // namespace

TEST_CASE("a cut costs the least of all cuts", "[quilt]") {
    for (std::uint64_t number = 0; number < 50; ++number) {
        const OverlapError error =
            random_error(7, 1 + static_cast<std::int64_t>(number % 5), number);
        const auto cut = boundary_cut(error);
        REQUIRE(std::ssize(cut) == error.length);
        for (std::size_t y = 1; y < cut.size(); ++y) CHECK(std::abs(cut[y] - cut[y - 1]) <= 1);
        std::int64_t least = 1'000'000;
        for (std::int64_t x = 0; x < error.width; ++x)
            least = std::min(least, least_from(error, 0, x));
        CHECK(sum_along(error, cut) == least);
    }
}

TEST_CASE("a cut follows where nothing differs", "[quilt]") {
    const OverlapError error{4, 3, {9, 0, 9, 9, 9, 0, 9, 0, 9, 0, 9, 9}};
    CHECK(boundary_cut(error) == std::vector<std::int64_t>{1, 2, 1, 0});
}
