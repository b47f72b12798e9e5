#include "civitas/optim/layer_sources.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/full.h>

namespace civitas::optim {
namespace {

constexpr double momentum = 0.1;

}  // namespace

Buffers::Buffers(const net::NetDescription& net, at::ScalarType type, at::Device device)
    : specs_(net::buffers_of(net)) {
    for (const auto& spec : specs_)
        tensors_.push_back(at::full({spec.elements},
                                    spec.initial == net::Initializer::one ? 1.0 : 0.0,
                                    at::TensorOptions().dtype(type).device(device)));
}

Buffers Buffers::clone() const {
    Buffers copy(*this);
    for (at::Tensor& tensor : copy.tensors_) tensor = tensor.clone();
    return copy;
}

void Buffers::mix(const Buffers& other, double decay) {
    for (std::size_t i = 0; i < tensors_.size(); ++i)
        tensors_[i].mul_(decay).add_(other.tensors_[i], 1 - decay);
}

void Buffers::apply(Range part, const std::vector<at::Tensor>& flat) const {
    for (const at::Tensor& statistics : flat) {
        std::int64_t at = 0;
        for (std::int64_t i = part.begin; i < part.end(); ++i) {
            const at::Tensor& running = tensors_.at(static_cast<std::size_t>(i));
            running.mul_(1 - momentum).add_(statistics.narrow(0, at, running.numel()), momentum);
            at += running.numel();
        }
        ensure(at == statistics.numel(), "one statistic per running one");
    }
}

std::vector<at::Tensor> views_of(const net::NetDescription& net, const Arena& parameters,
                                 const Arena* convolutions) {
    std::vector<at::Tensor> views = parameters.views();
    if (convolutions == nullptr) return views;
    const auto specs = net::parameters_of(net);
    for (std::size_t slot = 0; slot < specs.size(); ++slot)
        if (specs[slot].in_products) views.at(slot) = convolutions->view(slot);
    return views;
}

std::vector<std::unique_ptr<nn::Layer>> make_layers(const net::NetDescription& net,
                                                    const LayerSources& from,
                                                    const nn::LayerOptions& options) {
    std::vector<std::unique_ptr<nn::Layer>> layers;
    std::size_t slot = 0;
    std::size_t buffer = 0;
    for (const auto& layer : net.layers) {
        nn::LayerViews views;
        for (std::size_t i = 0; i < net::parameters_of(layer).size(); ++i)
            views.parameters.push_back(from.parameters.at(slot++));
        for (std::size_t i = 0; i < net::buffers_of(layer).size(); ++i)
            views.buffers.push_back(from.buffers.tensors().at(buffer++));
        layers.push_back(nn::make_layer(layer, std::move(views), options));
    }
    return layers;
}

}  // namespace civitas::optim
