#pragma once
/// How long the layers of all nets take.
#include "civitas/planner/machine_model.hpp"
#include "civitas/planner/workload.hpp"

#include <vector>

namespace civitas::planner {

/// Times of the layers of each net, uncut, for one micro-batch on one rank.
struct LayerTimings {
    std::vector<std::vector<LayerTimes>> nets;  ///< by NetId
    [[nodiscard]] const std::vector<LayerTimes>& of(schedule::NetId net) const {
        return nets.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] std::vector<LayerTimes>& of(schedule::NetId net) {
        return nets.at(static_cast<std::size_t>(net));
    }
};

/// Times by formula, for each of `ranks` ranks.
[[nodiscard]] LayerTimings estimated_timings(const Workload& workload, const MachineModel& machine,
                                             int ranks);

}  // namespace civitas::planner
