#pragma once
/// What a run needs of the file system for each checkpoint.
#include "civitas/planner/options.hpp"

#include <cstdint>

namespace civitas::profiling {

/// Bytes of all arrays of a checkpoint: weights and moments of both nets, means of G's weights
/// where they are kept; statistics of normalisation, which are few, are left out.
[[nodiscard]] std::int64_t checkpoint_bytes(const planner::Problem& problem,
                                            const planner::Hyperparameters& hyperparameters);

/// Throws UsageError with both numbers when this process may not write a file of that size
/// (`ulimit -f`): the first save would fail, hundreds of steps later.
void require_checkpoint_fits(const planner::Problem& problem,
                             const planner::Hyperparameters& hyperparameters);

}  // namespace civitas::profiling
