#include "setting.hpp"

namespace civitas::train {
namespace {

double flops_of(const nn::NetDescription& net) {
    const auto shapes = nn::shapes_of(net);
    double sum = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        sum += nn::forward_flops(net.layers[i], shapes[i]);
    return sum;
}

}  // namespace

Range own_micro_batches(const Task& task, const comm::Mesh& mesh) {
    return share_of(task.micro_batches(), mesh.here().data, mesh.shape().data);
}

double flops_of_step(const nn::GanDescription& gan, std::int64_t batch) {
    return static_cast<double>(batch) *
           (3 * flops_of(gan.generator) + 8 * flops_of(gan.discriminator));
}

}  // namespace civitas::train
