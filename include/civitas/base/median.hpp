#pragma once
/// The middle of measured times, which one slow round does not move.
#include <algorithm>
#include <vector>

namespace civitas {

/// The median; of an even number of values the upper one of the two in the middle. Precondition:
/// there are values.
[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace civitas
