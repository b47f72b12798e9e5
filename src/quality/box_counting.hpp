#pragma once
/// Box-counting dimension.
#include "civitas/quality/mask.hpp"

#include <optional>

namespace civitas::quality {

/// The straight line through (log(1 / side), log(boxes)), by least squares.
struct BoxDimension {
    double dimension = 0;  ///< its slope
    double r_squared = 1;  ///< share of the variance that it explains
};

/// Over boxes of 2, 4, ... 64 pixels a side, but none larger than half of the mask; those at its
/// border may be partly outside. None for an empty mask.
[[nodiscard]] std::optional<BoxDimension> box_dimension(const Mask& mask);

}  // namespace civitas::quality
