#include "civitas/profiling/few_images.hpp"

#include "civitas/net/layer_kinds.hpp"

#include <algorithm>

namespace civitas::profiling {
namespace {

/// Whether a batch norm of the net, or of one of its blocks, has images of one pixel.
bool normalises_pixels(const net::NetDescription& net) {
    const auto shapes = net::shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
        const bool is_norm = net::normalised_channels(net.layers[i]) > 0;
        if (is_norm && shapes[i].height * shapes[i].width == 1) return true;
        const auto inside = net::nets_inside(net.layers[i], shapes[i]);
        if (std::any_of(inside.begin(), inside.end(), normalises_pixels)) return true;
    }
    return false;
}

}  // namespace

std::int64_t fewest_images(const net::NetDescription& net) {
    return normalises_pixels(net) ? 2 : 1;
}

TimedImages images_to_time(const net::NetDescription& net, std::int64_t micro_batch,
                           double fewest_s, double enough_s) {
    const std::int64_t fewest = std::min(fewest_images(net), micro_batch);
    const auto affordable = static_cast<double>(fewest) * enough_s / fewest_s;
    if (!(affordable < static_cast<double>(micro_batch))) return {fewest, micro_batch, micro_batch};
    const auto some = std::max(static_cast<std::int64_t>(affordable), fewest + 1);
    return {fewest, std::min(some, micro_batch), micro_batch};
}

planner::LayerTimes times_of_micro_batch(const planner::LayerTimes& of_fewest,
                                         const planner::LayerTimes& of_some,
                                         const TimedImages& images) {
    const auto some = static_cast<double>(images.some);
    const auto more = static_cast<double>(images.some - images.fewest);
    const auto rest = static_cast<double>(images.micro_batch - images.some);
    const auto extended = [&](double fewest_s, double some_s) {
        return some_s + rest * std::clamp((some_s - fewest_s) / more, 0.0, some_s / some);
    };
    return {extended(of_fewest.forward_s, of_some.forward_s),
            extended(of_fewest.backward_input_s, of_some.backward_input_s),
            extended(of_fewest.backward_weights_s, of_some.backward_weights_s)};
}

}  // namespace civitas::profiling
