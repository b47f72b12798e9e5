#pragma once
/// Layers of a large micro-batch that are timed with a few of its images, so that a start does not
/// wait long.
#include "civitas/net/description.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <cstdint>

namespace civitas::profiling {

/// The fewest images that a net can be trained with: one, or where a batch norm has but a pixel of
/// each, two.
[[nodiscard]] std::int64_t fewest_images(const net::NetDescription& net);

/// Whether rounds with some images, and with twice as many, tell what still more would take: the
/// second is longer than `enough_s`, and by its images. Where it is not, they have left cores idle,
/// or what they took was for weights, and more images may be dearer or cheaper than these.
[[nodiscard]] bool tell_of_more(double some_s, double twice_s, double enough_s);

/// How many images of a micro-batch were timed, twice.
struct TimedImages {
    std::int64_t some, more, micro_batch;
};
/// Seconds of a layer for the whole micro-batch, by what it took for some images and for more: so
/// much for its weights and so much for each image, where neither is negative.
[[nodiscard]] planner::LayerTimes times_of_micro_batch(const planner::LayerTimes& of_some,
                                                       const planner::LayerTimes& of_more,
                                                       const TimedImages& images);

}  // namespace civitas::profiling
