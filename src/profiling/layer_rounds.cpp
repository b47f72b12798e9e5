#include "layer_rounds.hpp"

#include <ATen/ops/linspace.h>

namespace civitas::profiling {
namespace {

/// One channels-last image whose pixels differ. It is quicker made than a random one, and is
/// computed with as fast.
at::Tensor ramp_image(const net::ImageShape& s, at::TensorOptions options) {
    return at::linspace(-1, 1, s.height * s.width * s.channels, options)
        .view({1, s.height, s.width, s.channels})
        .permute({0, 3, 1, 2});
}
/// Channels-last, each of them the same.
at::Tensor repeated(const at::Tensor& image, std::int64_t images) {
    return image.permute({0, 2, 3, 1}).repeat({images, 1, 1, 1}).permute({0, 3, 1, 2});
}

}  // namespace

LayerRounds::LayerRounds(const std::vector<net::NetDescription>& ways, net::Precision precision,
                         at::Device device)
    : net_(ways.front()),
      layout_(net::parameters_of(net_)),
      weights_(layout_, nn::master_type(precision), device),
      leaves_(layout_, nn::master_type(precision), device),
      buffers_(net_, nn::master_type(precision), device),
      slots_(net::slots_of_layers(net_)) {
    const auto type = nn::compute_type(precision);
    constexpr double no_zero = 0.01;
    weights_.flat().fill_(no_zero);
    leaves_.flat().fill_(no_zero);  // brings its pages, so that the first round finds them
    if (type != nn::master_type(precision)) {
        compute_.emplace(layout_, type, device);
        compute_->flat().fill_(no_zero);
    }
    const optim::Arena* const compute = compute_ ? &*compute_ : nullptr;
    for (const auto& way : ways)
        ways_.push_back(
            optim::make_layers(way, {optim::views_of(net_, weights_, compute), buffers_}, {}));
    const auto options = at::TensorOptions().dtype(type).device(device);
    one_ = {ramp_image(net_.input, options), ramp_image(net::shapes_of(net_).back(), options)};
}

std::span<const at::Tensor> LayerRounds::leaves(std::size_t layer) const {
    return std::span(leaves_.views())
        .subspan(static_cast<std::size_t>(slots_[layer].begin),
                 static_cast<std::size_t>(slots_[layer].count));
}

void LayerRounds::take(std::int64_t images, std::vector<SamplesOfLayers>& samples) {
    if (!images_.x.defined() || images_.x.size(0) != images)
        images_ = {repeated(one_.x, images), repeated(one_.gy, images)};
    for (std::size_t way = 0; way < ways_.size(); ++way) take(ways_[way], images_, samples[way]);
}

void LayerRounds::take(const std::vector<std::unique_ptr<nn::Layer>>& layers, const Images& images,
                       SamplesOfLayers& samples) const {
    const at::Device device = images.x.device();
    std::vector<nn::Forward> results;
    for (std::size_t i = 0; i < layers.size(); ++i)
        samples[i].forward.add(seconds_of(
            [&] { results.push_back(layers[i]->forward(i == 0 ? images.x : results[i - 1].y)); },
            device));
    at::Tensor gy = images.gy.clone();  // which layers may write to
    for (std::size_t i = layers.size(); i-- > 0;) {
        const nn::Layer& layer = *layers[i];
        nn::SavedTensors& saved = results[i].saved;
        at::Tensor gx;
        samples[i].backward_input.add(
            seconds_of([&] { gx = layer.backward_input(gy, saved); }, device));
        if (!leaves(i).empty())
            samples[i].backward_weights.add(
                seconds_of([&] { layer.backward_weights(gy, saved, leaves(i)); }, device));
        gy = gx;
    }
}

}  // namespace civitas::profiling
