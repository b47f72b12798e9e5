#pragma once
/// What the layers and stages of a step cost: one model for cutting nets, planning and comparing.
#include "resources.hpp"
#include "setting.hpp"

#include "civitas/parallel/costs.hpp"

#include <vector>

namespace civitas::train {

/// Times of the layers of both nets, for one micro-batch on one rank.
struct LayerSeconds {
    std::vector<parallel::LayerTimes> generator, discriminator;
    [[nodiscard]] const std::vector<parallel::LayerTimes>& of(parallel::Net net) const {
        return net == parallel::Net::generator ? generator : discriminator;
    }
};
[[nodiscard]] LayerSeconds estimated_seconds(const Problem& problem, const Resources& resources,
                                             int ranks);

/// Of every stage of a setting, and of the messages between them.
[[nodiscard]] parallel::Costs costs_of(const Setting& setting, const Configuration& configuration,
                                       const Resources& resources, const LayerSeconds& seconds);

[[nodiscard]] parallel::ValueBytes value_bytes(Precision precision);
[[nodiscard]] const nn::NetDescription& net_of(const nn::GanDescription& gan, parallel::Net which);
/// Layers [begin, end) of a net as a rank of the tensor axis holds them: each holds as much.
[[nodiscard]] nn::NetDescription held_part(const nn::GanDescription& gan, const Setting& setting,
                                           parallel::Net which, Range layers);
/// What a rank sums of a net in a step.
[[nodiscard]] parallel::LeafCounts leaves_of(const Problem& problem, const Setting& setting,
                                             parallel::Net which);
/// Whether a mean of the weights is kept.
[[nodiscard]] bool has_mean(const Hyperparameters& hyperparameters, parallel::Net which);

}  // namespace civitas::train
