#pragma once
/// Bytes that a rank needs at most.
#include "step_costs.hpp"

namespace civitas::train {

/// Of one pipe coordinate.
struct RankMemory {
    parallel::NetMemory nets;      ///< of both
    std::int64_t activations = 0;  ///< all that lives between F, B and W
    std::int64_t messages = 0;
    [[nodiscard]] std::int64_t sum() const { return nets.sum() + activations + messages; }
};
[[nodiscard]] RankMemory rank_memory(const Configuration& configuration, const Setting& setting,
                                     const parallel::Costs& costs, int coordinate);

/// Layers that a rank of a coordinate holds of a net, one stage after the other.
[[nodiscard]] nn::NetDescription held_layers(const nn::GanDescription& gan, const Setting& setting,
                                             parallel::Net which, int coordinate);

}  // namespace civitas::train
