#include "distance.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/vectorised.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace civitas::quality {
namespace {

// Directions projected onto at once, so that every value is loaded once for all of them.
constexpr std::size_t together = 16;
// Points whose sums stay in the first-level cache.
constexpr std::size_t block = 256;

using Sums = std::array<std::vector<float>, together>;

std::vector<float> unit_vector(std::size_t dims, std::uint64_t number, const RandomStream& random) {
    std::vector<double> normal(dims);
    // Box-Muller makes normals in pairs: an even stride keeps the pairs of a vector its own.
    random.normals(number * (dims + dims % 2), normal);
    double squares = 0;
    for (const double v : normal) squares += v * v;
    std::vector<float> unit(dims);
    for (std::size_t d = 0; d < dims; ++d)
        unit[d] = static_cast<float>(normal[d] / std::sqrt(squares));
    return unit;
}

CIVITAS_VECTORISED void project_block(const Cloud& cloud, const Sums& directions, std::size_t first,
                                      std::size_t count, Sums& out) {
    std::array<std::array<float, block>, together> sums{};
    const auto points = static_cast<std::size_t>(cloud.points);
    for (std::size_t d = 0; d < static_cast<std::size_t>(cloud.dims); ++d) {
        const float* values = &cloud.values[d * points + first];
        for (std::size_t k = 0; k < together; ++k) {
            const float weight = directions[k][d];
            float* sum = sums[k].data();
            for (std::size_t p = 0; p < count; ++p) sum[p] += weight * values[p];
        }
    }
    for (std::size_t k = 0; k < together; ++k)
        std::copy_n(sums[k].begin(), count, out[k].begin() + static_cast<std::ptrdiff_t>(first));
}

void project(const Cloud& cloud, const Sums& directions, Sums& out) {
    const auto points = static_cast<std::size_t>(cloud.points);
    for (auto& projection : out) projection.resize(points);
    for (std::size_t first = 0; first < points; first += block)
        project_block(cloud, directions, first, std::min(block, points - first), out);
}

// A float's bits as an unsigned number of the same order.
std::uint32_t ordered(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U);
}

float unordered(std::uint32_t key) {
    return std::bit_cast<float>(key ^ ((key >> 31) != 0 ? 0x80000000U : 0xffffffffU));
}

// Radix sort in three passes of 11 bits: sorting is half of the work, and this is five times faster
// than std::sort on thousands of numbers.
void sort_numbers(std::span<float> values) {
    constexpr std::size_t digits = 2048;
    std::vector<std::uint32_t> keys(values.size()), moved(values.size());
    std::transform(values.begin(), values.end(), keys.begin(), ordered);
    for (const int shift : {0, 11, 22}) {
        std::array<std::size_t, digits + 1> place{};
        for (const auto key : keys) ++place[((key >> shift) & (digits - 1)) + 1];
        for (std::size_t d = 0; d < digits; ++d) place[d + 1] += place[d];
        for (const auto key : keys) moved[place[(key >> shift) & (digits - 1)]++] = key;
        keys.swap(moved);
    }
    std::transform(keys.begin(), keys.end(), values.begin(), unordered);
}

}  // namespace

double wasserstein_1d(std::span<float> a, std::span<float> b) {
    ensure(a.size() == b.size() && !a.empty(), "distances are between equal numbers of points");
    sort_numbers(a);
    sort_numbers(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    return sum / static_cast<double>(a.size());
}

double sliced_distance(const Cloud& a, const Cloud& b, std::uint64_t directions,
                       const RandomStream& random) {
    ensure(a.dims == b.dims && directions % together == 0, "clouds are of one space");
    Sums units, along_a, along_b;
    double sum = 0;
    for (std::uint64_t first = 0; first < directions; first += together) {
        for (std::size_t k = 0; k < together; ++k)
            units[k] = unit_vector(static_cast<std::size_t>(a.dims), first + k, random);
        project(a, units, along_a);
        project(b, units, along_b);
        for (std::size_t k = 0; k < together; ++k) sum += wasserstein_1d(along_a[k], along_b[k]);
    }
    return sum / static_cast<double>(directions);
}

}  // namespace civitas::quality
