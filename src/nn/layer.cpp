#include "civitas/nn/layer.hpp"

#include "layers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"

namespace civitas::nn {
namespace {

void require_views(const net::LayerDescription& description, const LayerViews& views) {
    const auto parameters = net::parameters_of(description);
    const auto buffers = net::buffers_of(description);
    ensure(views.parameters.size() == parameters.size() && views.buffers.size() == buffers.size(),
           "one view for each parameter and buffer of a layer");
    for (std::size_t i = 0; i < parameters.size(); ++i)
        ensure(views.parameters[i].sizes() == parameters[i].shape, "views have parameters' shapes");
    for (std::size_t i = 0; i < buffers.size(); ++i)
        ensure(views.buffers[i].sizes() == at::IntArrayRef{buffers[i].elements},
               "views have buffers' lengths");
}

/// A convolution, and what it reads.
struct AnyConvolution {
    const net::ConvolutionGeometry& geometry;
    bool transposed;
    Factors factors;
};

Factors factors_of(const net::LayerPart& part, const LayerViews& views) {
    const bool summed = part.cut == net::ChannelSplit::input;
    return {views.parameters[0], views.parameters.size() > 1 ? views.parameters[1] : at::Tensor(),
            !summed || part.part == 0};
}

std::unique_ptr<Layer> make_by(net::Kernel kernel, const AnyConvolution& c) {
    const at::Tensor& weight = c.factors.weight;
    ensure(kernel == net::Kernel::aten || !c.factors.bias.defined(), "a bias is added by ATen");
    switch (kernel) {
        case net::Kernel::strided: return make_strided_convolution(c.transposed, weight);
        case net::Kernel::thin: return make_thin_convolution(c.transposed, weight);
        case net::Kernel::picture: return make_picture_convolution(weight);
        case net::Kernel::product: return make_product(c.geometry, c.transposed, weight);
        default:
            ensure(kernel == net::Kernel::aten, "a kernel for convolutions");
            return make_convolution(c.geometry, c.transposed, c.factors);
    }
}

std::unique_ptr<Layer> make_any_convolution(const net::LayerKernels& by, const AnyConvolution& c) {
    if (by.forward == by.backward_input && by.forward == by.backward_weights)
        return make_by(by.forward, c);
    return make_mixed(
        {make_by(by.forward, c), make_by(by.backward_input, c), make_by(by.backward_weights, c)});
}

/// `slope`: of the leaky ReLU in the same layer; 1 is none.
std::unique_ptr<Layer> make_norm(const net::LayerDescription& layer, const net::BatchNorm& norm,
                                 double slope, const LayerViews& views,
                                 const LayerOptions& options) {
    const auto* ranks = options.normalise_with;
    if (layer.kernels.forward == net::Kernel::batch_norm) {
        ensure(ranks == nullptr, "kernels normalise what one rank has");
        return make_batch_norm_kernel(layer.name, norm.epsilon, slope, views);
    }
    auto made = ranks == nullptr ? make_batch_norm(layer.name, norm.epsilon, views)
                                 : make_sync_batch_norm(layer.name, norm.epsilon, views, *ranks);
    return slope == 1 ? std::move(made) : make_activated(std::move(made), slope);
}

/// The first views, which are taken away from the others.
std::vector<at::Tensor> take(std::span<const at::Tensor>& views, std::size_t count) {
    const auto first = views.first(count);
    views = views.subspan(count);
    return {first.begin(), first.end()};
}

std::unique_ptr<Layer> make_block(const net::Residual& block, const LayerViews& views,
                                  const LayerOptions& options) {
    std::span<const at::Tensor> parameters(views.parameters);
    std::span<const at::Tensor> buffers(views.buffers);
    const auto branch = [&](const std::vector<net::LayerDescription>& layers) {
        Branch made;
        for (const net::LayerDescription& layer : layers) {
            made.parameters.push_back(net::parameters_of(layer).size());
            LayerViews of_layer{take(parameters, made.parameters.back()),
                                take(buffers, net::buffers_of(layer).size())};
            made.layers.push_back(make_layer(layer, std::move(of_layer), options));
        }
        return made;
    };
    Branch body = branch(block.body);
    Branch shortcut = branch(block.shortcut);
    return make_residual(std::move(body), std::move(shortcut),
                         block.activation ? std::optional(block.activation->slope) : std::nullopt);
}

}  // namespace

std::unique_ptr<Layer> make_layer(const net::LayerDescription& description, LayerViews views,
                                  LayerOptions options) {
    require_views(description, views);
    return std::visit(
        Overloaded{
            [&](const net::Convolution& c) {
                return make_any_convolution(description.kernels,
                                            {c, false, factors_of(description.part, views)});
            },
            [&](const net::TransposedConvolution& c) {
                return make_any_convolution(description.kernels,
                                            {c, true, factors_of(description.part, views)});
            },
            [&](const net::BatchNorm& n) { return make_norm(description, n, 1, views, options); },
            [&](const net::BatchNormActivation& n) {
                return make_norm(description, n, n.activation.slope, views, options);
            },
            [](const net::LeakyRelu& a) { return make_leaky_relu(a.slope); },
            [&](const net::Tanh&) { return make_tanh(description.kernels.forward); },
            [&](const net::Redistribute& e) {
                ensure(options.tensor != nullptr && options.tensor->size() == e.parts,
                       "an exchange has a rank for each part");
                return make_exchange(e, *options.tensor);
            },
            [&](const net::Linear&) { return make_linear(factors_of(description.part, views)); },
            [](const net::MaxPool& p) { return make_max_pool(p); },
            [](const net::AdaptiveAveragePool& p) { return make_adaptive_average_pool(p); },
            [&](const net::Dropout& d) {
                return make_dropout(description.name, d.p, description.part);
            },
            [&](const net::Residual& r) { return make_block(r, views, options); }},
        description.kind);
}

}  // namespace civitas::nn
