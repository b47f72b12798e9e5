#pragma once
/// What the layers and stages of a step cost: one model for cutting nets, planning and comparing.
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/machine_model.hpp"

#include <vector>

namespace civitas::planner {

/// Times of the layers of both nets, for one micro-batch on one rank.
struct LayerTimings {
    std::vector<LayerTimes> generator, discriminator;
    [[nodiscard]] const std::vector<LayerTimes>& of(schedule::Net net) const {
        return net == schedule::Net::generator ? generator : discriminator;
    }
};
[[nodiscard]] LayerTimings estimated_timings(const Problem& problem, const MachineModel& machine,
                                             int ranks);

/// Of every stage of a layout, and of the messages between them.
[[nodiscard]] schedule::Costs costs_of(const ExecutionLayout& layout,
                                       const Configuration& configuration,
                                       const MachineModel& machine, const LayerTimings& timings);

[[nodiscard]] ValueBytes value_bytes(net::Precision precision);
[[nodiscard]] const net::NetDescription& net_of(const net::GanDescription& gan,
                                                schedule::Net which);
/// Layers [begin, end) of a net as a rank of the tensor axis holds them: each holds as much.
[[nodiscard]] net::NetDescription local_part(const net::GanDescription& gan,
                                             const ExecutionLayout& layout, schedule::Net which,
                                             Range layers);
/// What a rank sums of a net in a step.
[[nodiscard]] schedule::LeafCounts leaves_of(const Problem& problem, const ExecutionLayout& layout,
                                             schedule::Net which);
/// Whether a mean of the weights is kept.
[[nodiscard]] bool has_mean(const Hyperparameters& hyperparameters, schedule::Net which);

}  // namespace civitas::planner
