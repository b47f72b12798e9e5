#pragma once
/// The types of a precision's numbers.
#include "options.hpp"

#include <c10/core/ScalarType.h>

namespace civitas::train {

/// Of weights, moments and sums.
[[nodiscard]] at::ScalarType master_type(Precision precision);
/// Of activations and of what convolutions compute with.
[[nodiscard]] at::ScalarType compute_type(Precision precision);

}  // namespace civitas::train
