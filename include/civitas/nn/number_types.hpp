#pragma once
/// The types of a precision's numbers.
#include "civitas/net/precision.hpp"

#include <c10/core/ScalarType.h>

namespace civitas::nn {

/// The type of weights, moments and sums: fp64 for `fp64`, else fp32.
[[nodiscard]] at::ScalarType master_type(net::Precision precision);
/// The type of activations and of what convolutions compute with: the precision's own.
[[nodiscard]] at::ScalarType compute_type(net::Precision precision);

}  // namespace civitas::nn
