#include "civitas/nn/layer.hpp"

#include "layers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/overloaded.hpp"
#include "civitas/kernels/thin.hpp"

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

std::unique_ptr<Layer> make_any_convolution(const net::ConvolutionGeometry& g, bool transposed,
                                            const at::Tensor& weight, const LayerOptions& options) {
    const auto type = weight.scalar_type();
    if (options.kernels == net::KernelSet::fast && weight.is_cpu() && type != at::kDouble) {
        if (g.stride == 2 && g.padding == 1 && kernels::thin::supports(weight.sizes(), type))
            return make_thin_convolution(g, transposed, weight);
        if (g.stride == 1 && g.padding == 0) return make_product(g, transposed, weight);
    }
    auto aten = make_convolution(g, transposed, weight);
    if (!uses_winograd(g, weight, options.kernels)) return aten;
    return make_winograd_convolution(transposed, weight, std::move(aten));
}

/// A batch norm, and the slope of the leaky ReLU in the same layer: 1 is none.
struct Norm {
    const std::string& name;
    const net::BatchNorm& described;
    double slope;
};

std::unique_ptr<Layer> make_norm(const Norm& norm, const LayerViews& views,
                                 const LayerOptions& options) {
    const auto& [name, described, slope] = norm;
    const auto* ranks = options.normalise_with;
    const auto& weight = views.parameters[0];
    if (ranks == nullptr && options.kernels == net::KernelSet::fast && weight.is_cpu() &&
        weight.scalar_type() == at::kFloat)
        return make_batch_norm_kernel(name, described.epsilon, slope, views);
    auto made = ranks == nullptr ? make_batch_norm(name, described.epsilon, views)
                                 : make_sync_batch_norm(name, described.epsilon, views, *ranks);
    return slope == 1 ? std::move(made) : make_activated(std::move(made), slope);
}

}  // namespace

std::unique_ptr<Layer> make_layer(const net::LayerDescription& description, LayerViews views,
                                  LayerOptions options) {
    require_views(description, views);
    return std::visit(
        Overloaded{[&](const net::Convolution& c) {
                       return make_any_convolution(c, false, views.parameters[0], options);
                   },
                   [&](const net::TransposedConvolution& c) {
                       return make_any_convolution(c, true, views.parameters[0], options);
                   },
                   [&](const net::BatchNorm& n) {
                       return make_norm({description.name, n, 1}, views, options);
                   },
                   [&](const net::BatchNormActivation& n) {
                       return make_norm({description.name, n, n.activation.slope}, views, options);
                   },
                   [](const net::LeakyRelu& a) { return make_leaky_relu(a.slope); },
                   [&](const net::Tanh&) { return make_tanh(options.kernels); },
                   [&](const net::Redistribute& e) {
                       ensure(options.tensor != nullptr && options.tensor->size() == e.parts,
                              "an exchange has a rank for each part");
                       return make_exchange(e, *options.tensor);
                   }},
        description.kind);
}

}  // namespace civitas::nn
