#include "civitas/optim/layer_sources.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/zeros.h>
#include <utility>

namespace civitas::optim {
namespace {

constexpr double momentum = 0.1;

}  // namespace

Buffers::Buffers(const net::NetDescription& net, at::ScalarType type, at::Device device)
    : specs_(net::buffers_of(net)) {
    std::int64_t elements = 0;
    for (const auto& spec : specs_) elements += spec.elements;
    look_at(at::zeros({elements}, at::TensorOptions().dtype(type).device(device)));
    for (std::size_t i = 0; i < specs_.size(); ++i)
        if (specs_[i].initial == net::Initializer::one) tensors_[i].fill_(1.0);
}

void Buffers::look_at(at::Tensor flat) {
    flat_ = std::move(flat);
    tensors_.clear();
    std::int64_t begin = 0;
    for (const auto& spec : specs_) {
        tensors_.push_back(flat_.narrow(0, begin, spec.elements));
        begin += spec.elements;
    }
}

Buffers Buffers::clone() const {
    Buffers copy(*this);
    copy.look_at(flat_.clone());
    return copy;
}

void Buffers::mix(const Buffers& other, double decay) {
    flat_.mul_(decay).add_(other.flat_, 1 - decay);
}

void Buffers::apply(Range part, const std::vector<at::Tensor>& flat) const {
    Range elements;
    for (std::int64_t i = 0; i < part.end(); ++i) {
        const std::int64_t count = specs_.at(static_cast<std::size_t>(i)).elements;
        (i < part.begin ? elements.begin : elements.count) += count;
    }
    const at::Tensor running = flat_.narrow(0, elements.begin, elements.count);
    for (const at::Tensor& statistics : flat) {
        ensure(elements.count == statistics.numel(), "one statistic per running one");
        running.mul_(1 - momentum).add_(statistics, momentum);
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
