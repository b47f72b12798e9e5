#pragma once
/// What the layers and stages of a step cost: one model for cutting nets, planning and comparing.
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/machine_model.hpp"

#include <vector>

namespace civitas::planner {

/// Times of the layers of both nets, for one micro-batch on one rank.
struct LayerSeconds {
    std::vector<LayerTimes> generator, discriminator;
    [[nodiscard]] const std::vector<LayerTimes>& of(schedule::Net net) const {
        return net == schedule::Net::generator ? generator : discriminator;
    }
};
[[nodiscard]] LayerSeconds estimated_seconds(const Problem& problem, const Resources& resources,
                                             int ranks);

/// Of every stage of a setting, and of the messages between them.
[[nodiscard]] schedule::Costs costs_of(const Setting& setting, const Configuration& configuration,
                                       const Resources& resources, const LayerSeconds& seconds);

[[nodiscard]] ValueBytes value_bytes(net::Precision precision);
[[nodiscard]] const net::NetDescription& net_of(const net::GanDescription& gan,
                                                schedule::Net which);
/// Layers [begin, end) of a net as a rank of the tensor axis holds them: each holds as much.
[[nodiscard]] net::NetDescription held_part(const net::GanDescription& gan, const Setting& setting,
                                            schedule::Net which, Range layers);
/// What a rank sums of a net in a step.
[[nodiscard]] schedule::LeafCounts leaves_of(const Problem& problem, const Setting& setting,
                                             schedule::Net which);
/// Whether a mean of the weights is kept.
[[nodiscard]] bool has_mean(const Hyperparameters& hyperparameters, schedule::Net which);

}  // namespace civitas::planner
