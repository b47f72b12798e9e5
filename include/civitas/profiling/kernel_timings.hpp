#pragma once
/// Kernels that are chosen by what they take on this machine.
#include "civitas/planner/layer_timings.hpp"
#include "civitas/planner/options.hpp"

namespace civitas::profiling {

/// Times of the layers of a workload's nets by the kernels that it names. Where these are to be
/// chosen (net::KernelOptions::automatic), they are all of ours that there are, and the same layers
/// are timed by ATen, too.
struct KernelTimings {
    planner::LayerTimings as_described;
    planner::LayerTimings by_aten = {};  ///< no nets where nothing is to be chosen
};

/// The passes of layers that ATen computes clearly faster are left to it, a batch norm as a whole:
/// by a tenth, which is half a percent of all layers at least. Of equals ours are better: their
/// bits do not depend on the number of threads. Precondition: the timings are of this workload,
/// both.
[[nodiscard]] net::KernelChoice choose_kernels(const planner::Workload& workload,
                                               const KernelTimings& timings);

/// A configuration whose kernels were to be chosen, with a choice: its nets are those that these
/// kernels compute, and its text says so.
[[nodiscard]] planner::Configuration with_choice(planner::Configuration configuration,
                                                 const net::KernelChoice& choice);

/// A workload whose kernels were to be chosen, as `chosen` has them, and the times of its layers.
/// An activation that ATen computes behind its norm is timed with that.
struct ChosenWorkload {
    planner::Workload workload;
    planner::LayerTimings timings;
};
[[nodiscard]] ChosenWorkload with_choice(const planner::Workload& workload,
                                         const KernelTimings& timings,
                                         const planner::Configuration& chosen);

}  // namespace civitas::profiling
