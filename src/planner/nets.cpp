#include "civitas/planner/nets.hpp"

#include "civitas/schedule/gan.hpp"

namespace civitas::planner {

using schedule::NetId;

ValueBytes value_bytes(net::Precision precision) {
    const std::int64_t master = precision == net::Precision::fp64 ? 8 : 4;
    return {.compute = precision == net::Precision::bf16 ? 2 : master, .master = master};
}

const net::NetDescription& net_of(const net::GanDescription& gan, NetId which) {
    return which == schedule::gan::generator ? gan.generator : gan.discriminator;
}

net::NetDescription local_part(const net::GanDescription& gan, const ExecutionLayout& layout,
                               NetId which, Range layers) {
    return net::local_net(net::part_of(net_of(gan, which), layers),
                          net::part_of(layout.split_of(which), layers), 0);
}

net::NetDescription local_layers(const net::GanDescription& gan, const ExecutionLayout& layout,
                                 NetId which, int coordinate) {
    net::NetDescription local;
    for (const int stage : layout.placement.stages_of(which, coordinate)) {
        const Range layers = layout.stages_of(which).at(static_cast<std::size_t>(stage));
        const auto part = local_part(gan, layout, which, layers);
        local.layers.insert(local.layers.end(), part.layers.begin(), part.layers.end());
    }
    return local;
}

schedule::LeafCounts leaves_of(const Problem& problem, MeshShape mesh, NetId which) {
    return {.per_pass = problem.micro_batches() / mesh[Axis::data],
            .passes = static_cast<int>(schedule::gan::graph().trained_by(which).size())};
}

bool has_mean(const Hyperparameters& hyperparameters, NetId which) {
    return which == schedule::gan::generator && hyperparameters.ema > 0;
}

}  // namespace civitas::planner
