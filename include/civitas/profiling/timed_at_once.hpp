#pragma once
/// How long layers take while other ranks are at work, too.
#include "civitas/comm/communicator.hpp"
#include "civitas/profiling/measure.hpp"

#include <c10/core/Device.h>
#include <string>

namespace civitas::profiling {

/// What layers take while all ranks are at work, as in a step.
struct Timed {
    KernelTimings timings;
    double memory_rate = 0;  ///< bytes a second of the slowest rank
};
/// What a rank of a job does.
struct RankWork {
    bool computes = true;  ///< or it waits for those that do, as servers of weights
    /// Whether ranks wait for each other in every step, so that the slowest counts; else the mean
    /// of those that compute. The same on all ranks.
    bool in_step = true;
};
/// What a rank times.
struct TimedWork {
    const planner::Workload& workload;
    InputWork input_work = {};
    RankWork rank = {};
};
/// Times layers and memory on all ranks that compute, at once, and returns on all ranks what
/// counts: see measured_timings(). Collective; throws AgreedError when a rank cannot measure.
[[nodiscard]] Timed timed_at_once(const comm::Communicator& world, const TimedWork& work,
                                  at::Device device);

/// How that was done, in words. One process has the machine's caches and memory to itself, the
/// ranks of a step share them.
[[nodiscard]] std::string timing_line(int processes, int threads, int ranks_of_node);

}  // namespace civitas::profiling
