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

}  // namespace

std::unique_ptr<Layer> make_layer(const net::LayerDescription& description, LayerViews views,
                                  LayerOptions options) {
    require_views(description, views);
    using Made = std::unique_ptr<Layer>;
    return std::visit(
        Overloaded{[&](const net::Convolution& c) {
                       return make_convolution(c, false, views.parameters[0]);
                   },
                   [&](const net::TransposedConvolution& c) {
                       return make_convolution(c, true, views.parameters[0]);
                   },
                   [&](const net::BatchNorm& n) -> Made {
                       const auto* ranks = options.normalise_with;
                       return ranks == nullptr ? make_batch_norm(description.name, n.epsilon, views)
                                               : make_sync_batch_norm(description.name, n.epsilon,
                                                                      views, *ranks);
                   },
                   [](const net::LeakyRelu& a) { return make_leaky_relu(a.slope); },
                   [](const net::Tanh&) { return make_tanh(); },
                   [&](const net::Redistribute& e) {
                       ensure(options.tensor != nullptr && options.tensor->size() == e.parts,
                              "an exchange has a rank for each part");
                       return make_exchange(e, *options.tensor);
                   }},
        description.kind);
}

}  // namespace civitas::nn
