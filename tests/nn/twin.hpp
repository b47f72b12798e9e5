#pragma once
/// Layers and nets built a second time from torch::nn with the same weights, in double.
#include "civitas/nn/layer.hpp"
#include "support/torch.hpp"

#include <string>
#include <vector>

namespace civitas::nn::test {

/// A net's numbers: random parameters, running statistics that are not those of the data.
struct Numbers {
    std::vector<LayerViews> layers;
};

inline torch::nn::Sequential twin_net(const std::vector<net::LayerDescription>& layers,
                                      const Numbers& numbers);

/// A linear layer that takes and gives images.
struct FlatLinearImpl : torch::nn::Module {
    FlatLinearImpl(const net::Linear& l, const LayerViews& views)
        : linear(register_module(
              "linear", torch::nn::Linear(torch::nn::LinearOptions(l.in, l.out).bias(l.bias)))) {
        linear->to(at::kDouble);
        linear->weight.copy_(views.parameters[0]);
        if (l.bias) linear->bias.copy_(views.parameters[1]);
    }
    at::Tensor forward(const at::Tensor& x) {
        return linear->forward(x.flatten(1)).unsqueeze(-1).unsqueeze(-1);
    }
    torch::nn::Linear linear;
};
TORCH_MODULE(FlatLinear);

/// A residual block, or its shortcut.
struct BlockTwinImpl : torch::nn::Module {
    BlockTwinImpl(const net::Residual& block, const LayerViews& views)
        : slope(block.activation ? block.activation->slope : 1) {
        std::size_t parameter = 0, buffer = 0;
        const auto numbers_of = [&](const std::vector<net::LayerDescription>& layers) {
            Numbers numbers;
            for (const auto& layer : layers) {
                LayerViews mine;
                for (std::size_t i = 0; i < net::parameters_of(layer).size(); ++i)
                    mine.parameters.push_back(views.parameters.at(parameter++));
                for (std::size_t i = 0; i < net::buffers_of(layer).size(); ++i)
                    mine.buffers.push_back(views.buffers.at(buffer++));
                numbers.layers.push_back(std::move(mine));
            }
            return numbers;
        };
        body = register_module("body", twin_net(block.body, numbers_of(block.body)));
        if (!block.shortcut.empty())
            shortcut =
                register_module("shortcut", twin_net(block.shortcut, numbers_of(block.shortcut)));
    }
    at::Tensor forward(const at::Tensor& x) {
        const auto sum = body->forward(x) + (shortcut.is_empty() ? x : shortcut->forward(x));
        return torch::leaky_relu(sum, slope);
    }
    double slope;
    torch::nn::Sequential body{nullptr}, shortcut{nullptr};
};
TORCH_MODULE(BlockTwin);

template <class Convolution, class Options>
torch::nn::AnyModule convolution_twin(const net::ConvolutionGeometry& g, const LayerViews& views) {
    Convolution m(Options(g.in, g.out, g.kernel).stride(g.stride).padding(g.padding).bias(g.bias));
    m->to(at::kDouble);
    m->weight.copy_(views.parameters[0]);
    if (g.bias) m->bias.copy_(views.parameters[1]);
    return torch::nn::AnyModule(m);
}

inline torch::nn::AnyModule norm_twin(const net::BatchNorm& n, const LayerViews& views) {
    torch::nn::BatchNorm2d m(torch::nn::BatchNorm2dOptions(n.channels).eps(n.epsilon));
    m->to(at::kDouble);
    m->weight.copy_(views.parameters[0]);
    m->bias.copy_(views.parameters[1]);
    m->running_mean.copy_(views.buffers[0]);
    m->running_var.copy_(views.buffers[1]);
    return torch::nn::AnyModule(m);
}

/// torch::nn's version of a layer with copies of the same numbers, in double.
inline torch::nn::AnyModule twin(const net::LayerDescription& layer, const LayerViews& views) {
    using torch::nn::AnyModule;
    const torch::NoGradGuard no_gradient;
    if (const auto* c = std::get_if<net::Convolution>(&layer.kind))
        return convolution_twin<torch::nn::Conv2d, torch::nn::Conv2dOptions>(*c, views);
    if (const auto* c = std::get_if<net::TransposedConvolution>(&layer.kind))
        return convolution_twin<torch::nn::ConvTranspose2d, torch::nn::ConvTranspose2dOptions>(
            *c, views);
    if (const auto* n = std::get_if<net::BatchNorm>(&layer.kind)) return norm_twin(*n, views);
    if (const auto* a = std::get_if<net::LeakyRelu>(&layer.kind))
        return AnyModule(
            torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(a->slope)));
    if (const auto* l = std::get_if<net::Linear>(&layer.kind))
        return AnyModule(FlatLinear(*l, views));
    if (const auto* p = std::get_if<net::MaxPool>(&layer.kind))
        return AnyModule(torch::nn::MaxPool2d(
            torch::nn::MaxPool2dOptions(p->kernel).stride(p->stride).padding(p->padding)));
    if (const auto* p = std::get_if<net::AdaptiveAveragePool>(&layer.kind))
        return AnyModule(torch::nn::AdaptiveAvgPool2d(
            torch::nn::AdaptiveAvgPool2dOptions(std::vector{p->height, p->width})));
    if (const auto* r = std::get_if<net::Residual>(&layer.kind))
        return AnyModule(BlockTwin(*r, views));
    static_cast<void>(std::get<net::Tanh>(layer.kind));  // any other kind has no twin yet
    return AnyModule(torch::nn::Tanh());
}

inline torch::nn::Sequential twin_net(const std::vector<net::LayerDescription>& layers,
                                      const Numbers& numbers) {
    torch::nn::Sequential net;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::string& name = layers[i].name;
        const auto* fused = std::get_if<net::BatchNormActivation>(&layers[i].kind);
        if (fused == nullptr) {
            net->push_back(twin(layers[i], numbers.layers[i]));
            continue;
        }
        net->push_back(twin({name, net::BatchNorm(*fused)}, numbers.layers[i]));
        net->push_back(twin({name, fused->activation}, {}));
    }
    return net;
}

}  // namespace civitas::nn::test
