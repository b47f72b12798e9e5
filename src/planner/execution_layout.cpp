#include "civitas/planner/execution_layout.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::planner {

bool ExecutionLayout::has_reversed() const {
    const auto nets = schedule.graph.net_ids();
    return std::any_of(nets.begin(), nets.end(), [this](auto net) { return is_reversed(net); });
}

std::vector<DeviceKind> stage_devices(const LayoutOptions& options, MeshShape mesh) {
    const auto& devices = options.stage_devices;
    if (devices.empty()) return {static_cast<std::size_t>(mesh[Axis::pipe]), options.device};
    if (std::ssize(devices) == mesh[Axis::pipe]) return devices;
    throw UsageError(
        text("--stage-devices ", to_string(devices), " has ", devices.size(), " devices, mesh ",
             to_string(mesh), " has ", mesh[Axis::pipe], " pipe coordinates"),
        Hint{"one for each"});
}

}  // namespace civitas::planner
