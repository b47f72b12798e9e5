#include "measure.hpp"

#include "model.hpp"

#include "civitas/base/clock.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <algorithm>
#include <limits>

namespace civitas::train {
namespace {

constexpr int rounds = 4;  // the first warms up

/// Kernels write leaves of a net in turn; here each layer has its own.
std::vector<at::Tensor> leaves_of(const nn::LayerDescription& layer, at::ScalarType type) {
    std::vector<at::Tensor> leaves;
    for (const auto& parameter : nn::parameters_of(layer))
        leaves.push_back(at::empty(parameter.shape, at::TensorOptions().dtype(type)));
    return leaves;
}

void improve(double& best, double seconds) { best = std::min(best, seconds); }

parallel::LayerTimes times_of(const nn::Layer& layer, const at::Tensor& x,
                              std::span<const at::Tensor> leaves) {
    constexpr double never = std::numeric_limits<double>::infinity();
    parallel::LayerTimes best{never, never, leaves.empty() ? 0 : never};
    at::Tensor gy;
    for (int round = 0; round < rounds; ++round) {
        Stopwatch watch;
        auto [y, saved] = layer.forward(x);
        improve(best.forward_s, watch.seconds());
        if (!gy.defined()) gy = at::randn_like(y);
        watch = Stopwatch();
        (void)layer.backward_input(gy, saved);
        improve(best.backward_input_s, watch.seconds());
        watch = Stopwatch();
        if (!leaves.empty()) layer.backward_weights(gy, saved, leaves);
        improve(best.backward_weights_s, watch.seconds());
    }
    return best;
}

std::vector<parallel::LayerTimes> times_of(const nn::NetDescription& net, const Task& task) {
    const Precision precision = parse_precision(task.precision);
    const Net real(net, {.name = net.name,
                         .adam = {},
                         .leaves = {},
                         .precision = precision,
                         .layers = {},
                         .seed = Seed{task.seed}});
    const auto layers = real.layers_of(0);
    const auto compute = at::TensorOptions().dtype(compute_type(precision));
    at::Tensor x =
        at::randn({task.micro_batch, net.input.channels, net.input.height, net.input.width},
                  compute)
            .contiguous(at::MemoryFormat::ChannelsLast);
    std::vector<parallel::LayerTimes> times;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto leaves = leaves_of(net.layers[i], master_type(precision));
        times.push_back(times_of(*layers[i], x, leaves));
        x = layers[i]->forward(x).y;
    }
    return times;
}

}  // namespace

LayerSeconds measured_seconds(const Task& task) {
    const auto gan = task.gan();
    return {times_of(gan.generator, task), times_of(gan.discriminator, task)};
}

}  // namespace civitas::train
