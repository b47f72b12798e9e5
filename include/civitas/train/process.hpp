#pragma once
/// What one process of a run computes on.
#include "civitas/base/device_kind.hpp"
#include "civitas/environment/devices.hpp"

#include <c10/core/Device.h>
#include <optional>
#include <string>
#include <vector>

namespace civitas::train {

/// Agreed on once, before anything is made on a device.
struct Process {
    std::optional<int> gpu;                 ///< number of the GPU that this rank computes on
    std::vector<DeviceKind> stage_devices;  ///< of each pipe coordinate, the same on all ranks
    int threads = 1;
    std::string instruction_set;  ///< the same on all ranks

    [[nodiscard]] at::Device device() const { return environment::device_of(gpu); }
};

}  // namespace civitas::train
