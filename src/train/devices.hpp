#pragma once
/// Which device each rank computes on.
#include "setting.hpp"

#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"

#include <c10/core/Device.h>
#include <vector>

namespace civitas::train {

/// Of each pipe coordinate: --stage-devices, or --device for all of them. Throws UsageError for a
/// wrong number.
[[nodiscard]] std::vector<DeviceKind> stage_devices(const LayoutOptions& layout, MeshShape mesh);

/// What a rank asks for becomes a device: the ranks of a node that ask for a GPU take its GPUs in
/// turn, and a warning tells when they share one. Collective; throws AgreedError where a GPU is
/// asked for and none can be used.
[[nodiscard]] at::Device agree_on_device(const comm::Communicator& world, DeviceKind kind,
                                         Log& log);

/// What a rank computes on by its setting.
[[nodiscard]] at::Device device_of(const Setting& setting);

/// Throws UsageError when the device is not there. `number`: of the ranks of this node that ask for
/// a GPU.
[[nodiscard]] at::Device open_device(DeviceKind kind, int number = 0);

}  // namespace civitas::train
