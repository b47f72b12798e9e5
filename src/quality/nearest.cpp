#include "civitas/quality/nearest.hpp"

#include "mean.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/vectorised.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace civitas::quality {
namespace {

constexpr std::int64_t most_pixels = 64;

LandClass most_frequent(const ClassMap& map, std::int64_t x, std::int64_t y) {
    std::array<int, 3> counts{};
    for (const std::int64_t k : {0, 1, 2, 3})
        ++counts.at(static_cast<std::size_t>(map.at(x + k % 2, y + k / 2)));
    const auto most = std::max_element(counts.rbegin(), counts.rend());
    return static_cast<LandClass>(std::distance(most, counts.rend()) - 1);
}

/// Bits 0 and 1 of a class as planes of 64 pixels a word, one after the other in pairs.
using Planes = std::vector<std::uint64_t>;

/// `symmetry`: bit 0 mirrors columns, bit 1 rows, bit 2 exchanges both.
Planes planes_of(const ClassMap& map, unsigned symmetry) {
    const std::int64_t n = map.pixels, last = n - 1;
    Planes planes(2 * static_cast<std::size_t>((n * n + 63) / 64));
    for (std::int64_t k = 0; k < n * n; ++k) {
        std::int64_t x = k % n, y = k / n;
        if ((symmetry & 1U) != 0) x = last - x;
        if ((symmetry & 2U) != 0) y = last - y;
        if ((symmetry & 4U) != 0) std::swap(x, y);
        const auto land_class = static_cast<std::uint64_t>(map.at(x, y));
        const auto word = 2 * static_cast<std::size_t>(k / 64);
        planes[word] |= (land_class & 1U) << (k % 64);
        planes[word + 1] |= (land_class >> 1U) << (k % 64);
    }
    return planes;
}

CIVITAS_VECTORISED int differing(const Planes& a, const Planes& b) {
    int pixels = 0;
    for (std::size_t w = 0; w < a.size(); w += 2)
        pixels += std::popcount((a[w] ^ b[w]) | (a[w + 1] ^ b[w + 1]));
    return pixels;
}

}  // namespace

ClassMap halved(ClassMap map) {
    while (map.pixels > most_pixels && map.pixels % 2 == 0) {
        ClassMap half{map.pixels / 2, 2 * map.pixel_metres, {}};
        for (std::int64_t y = 0; y < half.pixels; ++y)
            for (std::int64_t x = 0; x < half.pixels; ++x)
                half.classes.push_back(most_frequent(map, 2 * x, 2 * y));
        map = std::move(half);
    }
    return map;
}

std::vector<double> nearest_differences(std::span<const ClassMap> tiles,
                                        std::span<const ClassMap> among) {
    ensure(!among.empty(), "there are tiles to be near to");
    std::vector<Planes> turned;
    for (const ClassMap& tile : tiles) {
        const ClassMap small = halved(tile);
        for (unsigned symmetry = 0; symmetry < 8; ++symmetry)
            turned.push_back(planes_of(small, symmetry));
    }
    std::vector<int> nearest(tiles.size(), std::numeric_limits<int>::max());
    std::int64_t pixels = 1;
    for (const ClassMap& other : among) {
        const ClassMap small = halved(other);
        pixels = small.pixels * small.pixels;
        const Planes planes = planes_of(small, 0);
        for (std::size_t i = 0; i < turned.size(); ++i)
            nearest[i / 8] = std::min(nearest[i / 8], differing(turned[i], planes));
    }
    std::vector<double> shares;
    for (const int n : nearest) shares.push_back(n / static_cast<double>(pixels));
    return shares;
}

Memorisation memorisation(std::span<const ClassMap> plans, std::span<const ClassMap> test,
                          std::span<const ClassMap> learnt) {
    const auto of_plans = nearest_differences(plans, learnt);
    const auto of_test = nearest_differences(test, learnt);
    const double nearest_test = *std::min_element(of_test.begin(), of_test.end());
    const auto nearer = std::count_if(of_plans.begin(), of_plans.end(),
                                      [&](double share) { return share < nearest_test; });
    return {std::ssize(learnt), mean_of(of_plans),
            mean_of(of_test),   *std::min_element(of_plans.begin(), of_plans.end()),
            nearest_test,       static_cast<double>(nearer) / static_cast<double>(of_plans.size())};
}

}  // namespace civitas::quality
