#pragma once
/// What computes the layers of a plan, in words.
#include "civitas/profiling/kernel_timings.hpp"

#include <string>

namespace civitas::app {

/// A table of the layers of a workload, and of the kernels that its choice takes for F, B and W of
/// each; beside them why the others are ATen's. Where the choice was made by `timings`, the times
/// of both for a micro-batch. `workload`: of all kernels that may be chosen.
[[nodiscard]] std::string kernel_table(const planner::Workload& workload,
                                       const net::KernelChoice& choice,
                                       const profiling::KernelTimings& timings = {});

}  // namespace civitas::app
