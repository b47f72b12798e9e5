#pragma once
/// How fast this machine computes and moves memory.
#include "civitas/net/precision.hpp"

#include <c10/core/Device.h>

namespace civitas::profiling {

/// Bytes a second that this rank reads and writes where numbers are added in place.
[[nodiscard]] double measured_memory_rate(at::Device device);

/// Operations per second of this rank on a convolution that suits the hardware: the peak that step
/// lines compare with.
[[nodiscard]] double measured_peak(net::Precision precision, at::Device device);

}  // namespace civitas::profiling
