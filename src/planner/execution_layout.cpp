#include "civitas/planner/execution_layout.hpp"

#include "civitas/base/error.hpp"

namespace civitas::planner {
namespace {

/// Of one sample forward: all layers, and the first alone, whose input needs no gradient.
struct NetFlops {
    double all = 0;
    double first = 0;
};

NetFlops flops_of(const net::NetDescription& net) {
    const auto shapes = net::shapes_of(net);
    NetFlops flops{.first = net::forward_flops(net.layers.front(), shapes.front())};
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        flops.all += net::forward_flops(net.layers[i], shapes[i]);
    return flops;
}

}  // namespace

std::vector<DeviceKind> stage_devices(const LayoutOptions& options, MeshShape mesh) {
    const auto& devices = options.stage_devices;
    if (devices.empty()) return {static_cast<std::size_t>(mesh[Axis::pipe]), options.device};
    if (std::ssize(devices) == mesh[Axis::pipe]) return devices;
    throw UsageError(
        text("--stage-devices ", to_string(devices), " has ", devices.size(), " devices, mesh ",
             to_string(mesh), " has ", mesh[Axis::pipe], " pipe coordinates"),
        Hint{"one for each"});
}

MicroBatchShare own_micro_batches(const Problem& problem, const MeshShape& mesh,
                                  const Coordinate& here) {
    return {problem.micro_batches(), here[Axis::data], mesh[Axis::data]};
}

double flops_of_step(const net::GanDescription& gan, std::int64_t batch) {
    const NetFlops generator = flops_of(gan.generator);
    const NetFlops discriminator = flops_of(gan.discriminator);
    return static_cast<double>(batch) *
           (3 * generator.all - generator.first + 8 * discriminator.all - 2 * discriminator.first);
}

}  // namespace civitas::planner
