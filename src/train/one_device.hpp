#pragma once
/// The device of ranks that share memory of it.
#include "civitas/base/device_kind.hpp"
#include "civitas/comm/communicator.hpp"

#include <c10/core/Device.h>
#include <string>
#include <vector>

namespace civitas::train {

/// Opens the device that all ranks of `world`, which are on one node, compute on. `taken`: how many
/// others of the node take GPUs before. Collective; throws AgreedError where a GPU cannot be used,
/// or ranks would have several.
[[nodiscard]] at::Device agree_on_one_device(const comm::Communicator& world, DeviceKind kind,
                                             int taken);

/// Throws UsageError unless all ranks have one GPU. `gpus`: what each has, as comm::gpu_id() names
/// it.
void require_one_gpu(const std::vector<std::string>& gpus);

}  // namespace civitas::train
