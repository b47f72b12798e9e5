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

bool tell_of_more(double some_s, double twice_s, double enough_s) {
    constexpr double by_images = 1.15;
    return twice_s > enough_s && twice_s > by_images * some_s;
}

planner::LayerTimes times_of_micro_batch(const planner::LayerTimes& of_some,
                                         const planner::LayerTimes& of_more,
                                         const TimedImages& images) {
    const auto more = static_cast<double>(images.more);
    const auto between = static_cast<double>(images.more - images.some);
    const auto rest = static_cast<double>(images.micro_batch - images.more);
    const auto extended = [&](double some_s, double more_s) {
        return more_s + rest * std::clamp((more_s - some_s) / between, 0.0, more_s / more);
    };
    return {extended(of_some.forward_s, of_more.forward_s),
            extended(of_some.backward_input_s, of_more.backward_input_s),
            extended(of_some.backward_weights_s, of_more.backward_weights_s)};
}

}  // namespace civitas::profiling
