#pragma once
/// How long the layers of both nets take.
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/machine_model.hpp"
#include "civitas/schedule/gan.hpp"

#include <vector>

namespace civitas::planner {

/// Times of the layers of both nets, uncut, for one micro-batch on one rank.
struct LayerTimings {
    std::vector<LayerTimes> generator, discriminator;
    [[nodiscard]] const std::vector<LayerTimes>& of(schedule::NetId net) const {
        return net == schedule::gan::generator ? generator : discriminator;
    }
};

/// Times by formula, for each of `ranks` ranks.
[[nodiscard]] LayerTimings estimated_timings(const Problem& problem, const MachineModel& machine,
                                             int ranks);

}  // namespace civitas::planner
