#pragma once
/// Which numbers and words options of a run take. Every check throws UsageError with the bounds.
#include "civitas/planner/workload.hpp"

namespace civitas::app {

/// Throws UsageError for a number of the hyperparameters or of the run that is out of range, and
/// for a word of --allow-change that names no fixed setting.
void check_values(const planner::Configuration& configuration);

/// Throws UsageError for kernels of ours where stages compute on devices of several kinds.
void check_kernels(const planner::Configuration& configuration);

/// Returns the value of `--option`. Throws UsageError when it is out of these bounds.
[[nodiscard]] int checked(const char* option, std::int64_t value, int least, int most);

}  // namespace civitas::app
