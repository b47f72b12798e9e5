#pragma once
/// The machine that the program runs on, looked at.
#include "civitas/base/node_map.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/planner/cost_model.hpp"

#include <string>

namespace civitas::profiling {

/// Cores and memory of this node, those the process may use; rates are the defaults.
[[nodiscard]] planner::MachineModel resources_of_node();

/// Nodes, cores and memory of the machine the job runs on, the same on all ranks; rates are the
/// defaults. Where some ranks of a machine count as a node they have their share of it. Collective.
[[nodiscard]] planner::MachineModel resources_here(const comm::Communicator& world,
                                                   const NodeMap& nodes);

/// What to say where some machine has too little room for the weights and sums that its ranks would
/// share under a layout; nothing where all have enough. Collective.
[[nodiscard]] std::string lacking_node_memory(const comm::Communicator& world,
                                              const planner::ExecutionLayout& layout,
                                              const planner::CostModel& model);

}  // namespace civitas::profiling
