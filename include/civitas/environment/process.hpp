#pragma once
/// What one process of a run computes on.
#include "civitas/base/device_kind.hpp"

#include <c10/core/Device.h>
#include <string>
#include <vector>

namespace civitas::environment {

/// Devices, threads and instructions of this rank, agreed on once, before anything is made on a
/// device.
struct Process {
    at::Device device = at::kCPU;  ///< that this rank computes on, its first replica
    /// Those that all of its replicas compute on, in order; empty: all on that one.
    std::vector<at::Device> replica_devices;
    std::vector<DeviceKind> stage_devices;  ///< of each pipe coordinate, the same on all ranks
    int threads = 1;                        ///< of each replica in this rank
    std::string instruction_set;            ///< the same on all ranks
};

}  // namespace civitas::environment
