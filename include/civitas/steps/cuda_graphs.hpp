#pragma once
/// What CUDA graphs can do for a run.
#include "civitas/steps/run.hpp"

#include <string>

namespace civitas::steps {

/// Steps that are launched kernel by kernel before passes are recorded: libraries choose and load
/// their kernels in them.
inline constexpr int steps_before_graphs = 3;

/// Why passes are not recorded, in words that follow "no CUDA graphs: "; empty: they are.
[[nodiscard]] std::string why_no_graphs(const Run& run);

}  // namespace civitas::steps
