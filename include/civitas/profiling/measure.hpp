#pragma once
/// How long layers take on this machine.
#include "civitas/planner/layer_timings.hpp"

#include <c10/core/Device.h>

namespace civitas::profiling {

/// F, B and W of every layer of both nets for one micro-batch: the best of a few rounds. What D
/// sees is made of an image in F of its first layer. Holds one layer at a time.
[[nodiscard]] planner::LayerTimings measured_timings(const planner::Configuration& configuration,
                                                     at::Device device);

/// Bytes a second that this rank reads and writes where numbers are added in place.
[[nodiscard]] double measured_memory_rate(at::Device device);

/// Operations per second of this rank on a convolution that suits the hardware: the peak that step
/// lines compare with.
[[nodiscard]] double measured_peak(net::Precision precision, at::Device device);

}  // namespace civitas::profiling
