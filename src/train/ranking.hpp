#pragma once
/// All meshes of a number of ranks, each with its best schedule, and which of them to take.
#include "plan.hpp"

#include <string>
#include <vector>

namespace civitas::train {

/// The best that a mesh can do within a rank's memory.
struct Offer {
    Layout layout;
    Plan plan;
};
struct Refusal {
    comm::MeshShape mesh;
    std::string why;
};
struct Ranking {
    std::vector<Offer> offers;  ///< ascending by time of a step
    std::vector<Refusal> refused;
};

/// Of data x pipe = ranks, with every schedule and placement; redraw and recompute only where a
/// rank's memory is too small without.
[[nodiscard]] Ranking rank_meshes(const Configuration& configuration, int ranks,
                                  const Resources& resources, const LayerSeconds& seconds);

/// `data-parallel pipelines: 2 copies of 4 stages, schedule gan, ...`
[[nodiscard]] std::string strategy_of(const Offer& offer);

/// A table, the strategy for these resources, and why.
[[nodiscard]] std::string to_text(const Ranking& ranking, const Configuration& configuration,
                                  const Resources& resources, int ranks);

}  // namespace civitas::train
