#pragma once
/// Which numbers and words options of a run take. Every check throws UsageError with the bounds.
#include "civitas/planner/workload.hpp"

namespace civitas::app {

/// Throws UsageError for a number of the hyperparameters or of the run that is out of range, and
/// for a word of --allow-change that names no fixed setting.
void check_values(const planner::Configuration& configuration);

/// Return --node-size, a number of ranks or 0, and --replicas. Throw UsageError when it is out of
/// range.
[[nodiscard]] int checked_node_size(std::int64_t ranks);
[[nodiscard]] int checked_replicas(std::int64_t replicas);

}  // namespace civitas::app
