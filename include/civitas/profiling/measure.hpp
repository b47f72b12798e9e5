#pragma once
/// How long layers take on this machine.
#include "civitas/profiling/kernel_timings.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <functional>
#include <vector>

namespace civitas::profiling {

/// What a task does to the input of each net before its first layer, by NetId: x_BCHW of one
/// micro-batch, in the type of master weights. None, or an empty function, does nothing.
using InputWork = std::vector<std::function<void(const at::Tensor& x_BCHW)>>;

/// Seconds of F, B and W of every layer of all nets for one micro-batch: of a few rounds the median
/// behind one that warms up, and where they would take long what times_of_micro_batch() tells by a
/// few of its images; where kernels are to be chosen, of rounds by ours and by ATen in turns the
/// least. Neighbouring layers run one after the other, as in a step: a layer alone would find its
/// weights in the cache. The work on a net's input counts with F of its first layer. Holds one
/// layer at a time, or several small ones.
[[nodiscard]] KernelTimings measured_timings(const planner::Workload& workload, at::Device device,
                                             const InputWork& input_work = {});

}  // namespace civitas::profiling
