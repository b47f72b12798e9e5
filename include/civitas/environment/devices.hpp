#pragma once
/// Which device each rank computes on.
#include "civitas/base/device_kind.hpp"
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"

#include <c10/core/Device.h>
#include <vector>

namespace civitas::environment {

/// Whose turn it is to take GPUs of a node.
struct GpuTurn {
    int taken = 0;     ///< by ranks of this node that are not in the world
    int replicas = 1;  ///< of every rank, each of which takes one
};

/// Opens the devices that the replicas of this rank compute on: those of a node that ask for a GPU
/// take its GPUs in turn, and a warning tells when they share one. Collective; throws AgreedError
/// where a GPU is asked for and none can be used.
[[nodiscard]] std::vector<at::Device> agree_on_devices(const comm::Communicator& world,
                                                       DeviceKind kind, Log& log,
                                                       const GpuTurn& turn = {});

/// Opens a device, which is the calling thread's current one then. `number`: of who asks among
/// those of the node that ask for a GPU. Throws UsageError when the device is not there.
[[nodiscard]] at::Device open_device(DeviceKind kind, int number = 0);

}  // namespace civitas::environment
