#include "stage_tensors.hpp"

#include "civitas/net/layer_kinds.hpp"

namespace civitas::planner {
namespace {

/// Exchanges that have nothing to move hand on what they get.
bool hands_on_value(const net::LayerDescription& layer) {
    const auto* exchange = net::redistribute_of(layer);
    return exchange != nullptr && exchange->before.value == exchange->after.value;
}
bool hands_on_gradient(const net::LayerDescription& layer) {
    const auto* exchange = net::redistribute_of(layer);
    return exchange != nullptr && exchange->before.gradient == exchange->after.gradient;
}

}  // namespace

StageTensors::StageTensors(const net::NetDescription& stage) {
    output_ = forward(stage, add(values_, stage.input));
    (void)backward(stage, add(gradients_, net::shapes_of(stage).back()));
}

StageTensors::Place StageTensors::add(std::vector<Tensor>& made, net::ImageShape shape) {
    made.push_back({.elements = shape.elements()});
    return made.size() - 1;
}

StageTensors::Place StageTensors::forward(const net::NetDescription& net, Place x) {
    const auto shapes = net::shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const net::LayerDescription& layer = net.layers[i];
        if (hands_on_value(layer)) continue;
        for (const net::NetDescription& inside : net::nets_inside(layer, shapes[i]))
            (void)forward(inside, x);
        const net::LayerTraits traits = net::traits_of(layer.kind);
        const Place y = add(values_, shapes[i + 1]);
        if (traits.convolves || traits.pools || traits.normalised_channels > 0)
            values_[x].saved = true;
        if (traits.convolves) values_[x].needed_by_w = true;
        if (traits.activates) values_[y].saved = true;
        if (traits.drops) masks_ += shapes[i].elements();
        channels_ += traits.normalised_channels;
        x = y;
    }
    return x;
}

StageTensors::Place StageTensors::backward(const net::NetDescription& net, Place gy) {
    const auto shapes = net::shapes_of(net);
    for (std::size_t i = net.layers.size(); i-- > 0;) {
        const net::LayerDescription& layer = net.layers[i];
        if (hands_on_gradient(layer)) continue;
        const net::LayerTraits traits = net::traits_of(layer.kind);
        if (traits.convolves) gradients_[gy].needed_by_w = true;
        const auto nets = net::nets_inside(layer, shapes[i]);
        if (!nets.empty() && traits.activates) gy = add(gradients_, shapes[i + 1]);
        for (const net::NetDescription& inside : nets) (void)backward(inside, gy);
        gy = add(gradients_, shapes[i]);
    }
    return gy;
}

std::int64_t StageTensors::saved() const {
    std::int64_t sum = 0;
    for (const Tensor& tensor : values_) sum += tensor.saved ? tensor.elements : 0;
    return sum;
}

std::int64_t StageTensors::needed_by_weights() const {
    std::int64_t sum = 0;
    for (const auto* tensors : {&values_, &gradients_})
        for (const Tensor& tensor : *tensors) sum += tensor.needed_by_w ? tensor.elements : 0;
    return sum;
}

}  // namespace civitas::planner
