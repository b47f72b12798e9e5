#pragma once
/// Layers and nets built a second time from torch::nn with the same weights, and comparisons.
#include "twin.hpp"

#include <string>
#include <vector>

namespace civitas::nn::test {

/// Relative difference in the Euclidean norm, made in double on the CPU.
inline double apart(const at::Tensor& a, const at::Tensor& b) {
    if (a.sizes() != b.sizes()) return INFINITY;
    const auto wide_a = a.detach().to(at::kCPU, at::kDouble);
    const auto wide_b = b.detach().to(at::kCPU, at::kDouble);
    const double size = wide_b.norm().item<double>();
    const double difference = (wide_a - wide_b).norm().item<double>();
    return difference == 0 ? 0 : difference / size;
}

inline at::Tensor channels_last(const at::Tensor& t) {
    return t.dim() == 4 ? t.contiguous(at::MemoryFormat::ChannelsLast) : t;
}

/// Random, the same values whatever `type` (but rounded to it); a net of double is the truth.
inline Numbers random_numbers(const std::vector<net::LayerDescription>& layers,
                              at::ScalarType type) {
    torch::manual_seed(7);
    Numbers numbers;
    const bool half = type == at::kBFloat16;
    for (const auto& layer : layers) {
        LayerViews views;
        for (const auto& p : net::parameters_of(layer)) {
            const bool around_one = p.initial == net::Initializer::normal_around_one ||
                                    p.initial == net::Initializer::one;
            const auto values = torch::randn(p.shape, at::kDouble) * 0.2 + (around_one ? 1 : 0);
            const auto kind = half && !p.in_products ? at::kFloat : type;
            views.parameters.push_back(channels_last(values.to(at::kBFloat16).to(kind)));
        }
        for (const auto& b : net::buffers_of(layer)) {
            const auto values = torch::rand({b.elements}, at::kDouble) + 0.5;
            views.buffers.push_back(values.to(half ? at::kFloat : type));
        }
        numbers.layers.push_back(views);
    }
    return numbers;
}

inline Stage make_stage(const std::vector<net::LayerDescription>& layers, const Numbers& numbers,
                        LayerOptions options = {}) {
    std::vector<std::unique_ptr<Layer>> made;
    for (std::size_t i = 0; i < layers.size(); ++i)
        made.push_back(make_layer(layers[i], numbers.layers[i], options));
    return Stage(std::move(made));
}

/// Leaves of a layer: never bf16, full of what must be overwritten.
inline std::vector<at::Tensor> blank_leaf(const LayerViews& views) {
    std::vector<at::Tensor> leaf;
    for (const auto& p : views.parameters) {
        const auto type = p.scalar_type() == at::kBFloat16 ? at::kFloat : p.scalar_type();
        leaf.push_back(torch::full_like(p, NAN, p.options().dtype(type)));
    }
    return leaf;
}

/// Everything F, B and W of a net give.
struct Results {
    at::Tensor y, gx;
    std::vector<at::Tensor> gradients;
    std::vector<Statistics> statistics;
};

inline Results run(const Stage& stage, const Numbers& numbers, const at::Tensor& x,
                   const at::Tensor& gy, bool input_gradient = true) {
    Results r;
    Stage::Context kept;
    r.y = stage.forward(x, kept);
    for (const auto& saved : kept.saved)
        for (const auto& s : saved.statistics) r.statistics.push_back(s);
    r.gx = stage.backward_input(gy, kept, input_gradient, /*for_weights=*/true);
    for (std::size_t i = 0; i < stage.size(); ++i) {
        const auto leaf = blank_leaf(numbers.layers[i]);
        stage.backward_weights(i, kept, leaf);
        r.gradients.insert(r.gradients.end(), leaf.begin(), leaf.end());
    }
    return r;
}

/// The same by autograd in double.
inline Results run_twin(torch::nn::Sequential net, const at::Tensor& x, const at::Tensor& gy) {
    Results r;
    auto input = x.to(at::kDouble).contiguous().clone().requires_grad_();
    r.y = net->forward(input);
    r.y.backward(gy.to(at::kDouble));
    r.gx = input.grad();
    for (const auto& p : net->parameters()) r.gradients.push_back(p.grad());
    return r;
}

inline at::Tensor random_like(at::IntArrayRef shape, at::ScalarType type, std::uint64_t seed) {
    torch::manual_seed(seed);
    return channels_last(torch::randn(shape, at::kDouble).to(at::kBFloat16).to(type));
}

}  // namespace civitas::nn::test
