#pragma once
/// What may help where a plan does not fit into the memory of a rank.
#include "civitas/planner/cost_model.hpp"
#include "civitas/strategy/candidates.hpp"

#include <cstdint>
#include <string>

namespace civitas::strategy {

struct WayOut {
    std::string words;        ///< options of a mesh that fits, or what else may help
    int layouts = 0;          ///< tried on paper to find it
    std::int64_t visits = 0;  ///< of stages by micro-batches, in the tables of all of those
};

/// Most visits of a table that is laid out for a hint: about a second's work.
inline constexpr std::int64_t most_visits_for_a_hint = 25'000;

/// Looks for a mesh of all ranks that fits, with schedule 1f1b: the first in the order of
/// growing tensor and then pipe axes, with what costs least time of redraw and recompute; a
/// shard level beyond that of the options only where the mesh does not fit with all of these; what
/// is offloaded, of GPUs to host memory first, only where no mesh fits. Where copies of checkpoints
/// count, the same without them is named, too, if it is something else. Only memory is asked; of
/// each search, what is left after most_visits_for_a_hint is not tried.
[[nodiscard]] WayOut way_out(const planner::CostModel& model, const planner::LayoutOptions& asked);

/// What may help where no mesh of a ranking fits, of which each was rejected: a way_out() where
/// that was for memory.
[[nodiscard]] std::string way_out_of(const Ranking& ranking, const planner::CostModel& model,
                                     const planner::LayoutOptions& asked);

}  // namespace civitas::strategy
