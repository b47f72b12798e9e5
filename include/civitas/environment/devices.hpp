#pragma once
/// Which device each rank computes on.
#include "civitas/base/device_kind.hpp"
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"

#include <c10/core/Device.h>

namespace civitas::environment {

/// Opens the device that this rank asks for: the ranks of a node that ask for a GPU take its GPUs
/// in turn, and a warning tells when they share one. `taken`: how many ranks of this node that are
/// not in `world` take GPUs before. Collective; throws AgreedError where a GPU is asked for and
/// none can be used.
[[nodiscard]] at::Device agree_on_device(const comm::Communicator& world, DeviceKind kind, Log& log,
                                         int taken = 0);

/// Opens a device. `number`: of this rank among those of its node that ask for a GPU. Throws
/// UsageError when the device is not there.
[[nodiscard]] at::Device open_device(DeviceKind kind, int number = 0);

}  // namespace civitas::environment
