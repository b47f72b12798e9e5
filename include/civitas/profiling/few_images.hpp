#pragma once
/// Layers of a large micro-batch that are timed with a few of its images, so that a start does not
/// wait long.
#include "civitas/net/description.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <cstdint>

namespace civitas::profiling {

/// How many images of a micro-batch are timed: the fewest there can be, and some.
struct TimedImages {
    std::int64_t fewest, some, micro_batch;
    [[nodiscard]] bool are_all() const { return some == micro_batch; }
};

/// The fewest images that a net can be trained with: one, or where a batch norm has but a pixel of
/// each, two.
[[nodiscard]] std::int64_t fewest_images(const net::NetDescription& net);

/// As many as take `enough_s` seconds, of which the fewest take `fewest_s`: one more at least, of a
/// smaller micro-batch all.
[[nodiscard]] TimedImages images_to_time(const net::NetDescription& net, std::int64_t micro_batch,
                                         double fewest_s, double enough_s);

/// Seconds of a layer for the whole micro-batch, by what it takes for the fewest images and for
/// some: so much for its weights and so much for each image, where neither is negative.
/// Precondition: some are more than the fewest.
[[nodiscard]] planner::LayerTimes times_of_micro_batch(const planner::LayerTimes& of_fewest,
                                                       const planner::LayerTimes& of_some,
                                                       const TimedImages& images);

}  // namespace civitas::profiling
