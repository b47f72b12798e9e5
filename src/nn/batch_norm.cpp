/// Batch norm (Ioffe & Szegedy, arXiv 1502.03167), per channel over the N = B H W values of one
/// micro-batch, with eps = epsilon:
///   F: m = sum x / N, v = sum (x - m)^2 / N, x^ = (x - m) / sqrt(v + eps), y = weight x^ + bias
///   B: gx = weight / sqrt(v + eps) (gy - sum gy / N - x^ sum (gy x^) / N)
///   W: g_weight = sum gy x^, g_bias = sum gy
/// F leaves m and the unbiased variance v N / (N - 1) as statistics; after the step each running
/// one becomes 0.9 running + 0.1 statistic (optim::Buffers::apply), micro-batch by micro-batch.
/// Generation: y = weight (x - running_mean) / sqrt(running_variance + eps) + bias.
#include "batch_norm.hpp"

#include "layers.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/zeros_like.h>
#include <utility>

namespace civitas::nn {

BatchNormLayer::BatchNormLayer(std::string name, double epsilon, const LayerViews& views)
    : name_(std::move(name)),
      epsilon_(epsilon),
      weight_(views.parameters[0]),
      bias_(views.parameters[1]),
      running_mean_(views.buffers[0]),
      running_variance_(views.buffers[1]) {}

Statistics BatchNormLayer::blank() const {
    return {at::zeros_like(weight_), at::zeros_like(weight_)};
}

void BatchNormLayer::require_variance(std::int64_t values, const at::Tensor& x) const {
    if (values > 1) return;
    throw Error(text("batch norm ", name_, " has ", values, " value per channel (micro-batch ",
                     x.size(0), " of ", x.size(2), " x ", x.size(3), "), its variance needs 2"),
                {"a larger --micro-batch"});
}

Forward BatchNormLayer::forward(const at::Tensor& x) const {
    require_variance(values_per_channel(x), x);
    auto statistics = blank();
    auto [y, mean, inverse_deviation] =
        at::native_batch_norm(x, weight_, bias_, statistics.mean_C, statistics.variance_C,
                              /*training=*/true, /*momentum=*/1, epsilon_);
    return {y, {{x, mean, inverse_deviation}, {std::move(statistics)}}};
}

at::Tensor BatchNormLayer::evaluate(const at::Tensor& x) const {
    return std::get<0>(at::native_batch_norm(x, weight_, bias_, running_mean_, running_variance_,
                                             /*training=*/false, /*momentum=*/0, epsilon_));
}

at::Tensor BatchNormLayer::backward_input(const at::Tensor& gy, SavedTensors& saved) const {
    const auto& kept = saved.tensors;
    auto [gx, g_weight, g_bias] =
        at::native_batch_norm_backward(gy, kept[0], weight_, {}, {}, kept[1], kept[2],
                                       /*train=*/true, epsilon_, {true, true, true});
    saved.tensors = {std::move(g_weight), std::move(g_bias)};
    return gx;
}

void BatchNormLayer::backward_weights(const at::Tensor& gy, SavedTensors& saved,
                                      std::span<const at::Tensor> leaf) const {
    constexpr std::size_t after_b = 2;
    if (saved.tensors.size() != after_b) (void)backward_input(gy, saved);
    leaf[0].copy_(saved.tensors[0]);
    leaf[1].copy_(saved.tensors[1]);
}

std::unique_ptr<Layer> make_batch_norm(const std::string& name, double epsilon,
                                       const LayerViews& views) {
    return std::make_unique<BatchNormLayer>(name, epsilon, views);
}

}  // namespace civitas::nn
