#pragma once
/// The mean of some numbers.
#include <limits>
#include <numeric>
#include <vector>

namespace civitas::quality {

/// NaN where there are none.
[[nodiscard]] inline double mean_of(const std::vector<double>& values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace civitas::quality
