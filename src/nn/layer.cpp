#include "civitas/nn/layer.hpp"
#include "civitas/base/error.hpp"
#include "layers.hpp"
#include "overloaded.hpp"

namespace civitas::nn {
namespace {

void require_views(const LayerDescription& description, const LayerViews& views) {
    const auto parameters = parameters_of(description);
    const auto buffers = buffers_of(description);
    expect(views.parameters.size() == parameters.size() && views.buffers.size() == buffers.size(),
           "one view for each parameter and buffer of a layer");
    for (std::size_t i = 0; i < parameters.size(); ++i)
        expect(views.parameters[i].sizes() == parameters[i].shape, "views have parameters' shapes");
    for (std::size_t i = 0; i < buffers.size(); ++i)
        expect(views.buffers[i].sizes() == at::IntArrayRef{buffers[i].elements},
               "views have buffers' lengths");
}

}  // namespace

std::unique_ptr<Layer> make_layer(const LayerDescription& description, LayerViews views,
                                  LayerOptions options) {
    require_views(description, views);
    using Made = std::unique_ptr<Layer>;
    return std::visit(
        Overloaded{
            [&](const Convolution& c) { return make_convolution(c, false, views.parameters[0]); },
            [&](const TransposedConvolution& c) {
                return make_convolution(c, true, views.parameters[0]);
            },
            [&](const BatchNorm& n) -> Made {
                const auto* ranks = options.normalise_with;
                return ranks == nullptr
                           ? make_batch_norm(description.name, n.epsilon, views)
                           : make_sync_batch_norm(description.name, n.epsilon, views, *ranks);
            },
            [](const LeakyRelu& a) { return make_leaky_relu(a.slope); },
            [](const Tanh&) { return make_tanh(); },
            [&](const Exchange& e) {
                expect(options.tensor != nullptr && options.tensor->size() == e.parts,
                       "an exchange has a rank for each part");
                return make_exchange(e, *options.tensor);
            }},
        description.kind);
}

}  // namespace civitas::nn
