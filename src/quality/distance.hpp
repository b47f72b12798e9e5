#pragma once
/// Wasserstein distance between clouds of points, along random directions.
#include "civitas/random/stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// Points in a space of `dims` dimensions: values[d * points + p].
struct Cloud {
    std::int64_t dims = 0;
    std::int64_t points = 0;
    std::vector<float> values;
};

/// Mean |difference| of the sorted numbers. Precondition: equal counts. Sorts both in place.
[[nodiscard]] double wasserstein_1d(std::span<float> a, std::span<float> b);

/// Mean over `directions` unit vectors of the distance between the projections. Precondition: equal
/// dims and points.
[[nodiscard]] double sliced_distance(const Cloud& a, const Cloud& b, std::uint64_t directions,
                                     const RandomStream& random);

}  // namespace civitas::quality
