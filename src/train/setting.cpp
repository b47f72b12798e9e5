#include "setting.hpp"

namespace civitas::train {
namespace {

/// Of one sample forward: all layers, and the first alone, whose input needs no gradient.
struct NetFlops {
    double all = 0;
    double first = 0;
};

NetFlops flops_of(const nn::NetDescription& net) {
    const auto shapes = nn::shapes_of(net);
    NetFlops flops{.first = nn::forward_flops(net.layers.front(), shapes.front())};
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        flops.all += nn::forward_flops(net.layers[i], shapes[i]);
    return flops;
}

}  // namespace

MicroBatchShare own_micro_batches(const Problem& problem, const MeshShape& mesh,
                                  const Coordinate& here) {
    return {problem.micro_batches(), here[Axis::data], mesh[Axis::data]};
}

double flops_of_step(const nn::GanDescription& gan, std::int64_t batch) {
    const NetFlops generator = flops_of(gan.generator);
    const NetFlops discriminator = flops_of(gan.discriminator);
    return static_cast<double>(batch) *
           (3 * generator.all - generator.first + 8 * discriminator.all - 2 * discriminator.first);
}

}  // namespace civitas::train
