#pragma once
/// The types of a precision's numbers.
#include "civitas/net/precision.hpp"

#include <c10/core/ScalarType.h>

namespace civitas::nn {

/// Of weights, moments and sums.
[[nodiscard]] at::ScalarType master_type(net::Precision precision);
/// Of activations and of what convolutions compute with.
[[nodiscard]] at::ScalarType compute_type(net::Precision precision);

}  // namespace civitas::nn
