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
/// defaults. Where some ranks of a machine count as a node they have their share of it. `part`: of
/// this rank's machine that the ranks of `world` may use. Collective.
[[nodiscard]] planner::MachineModel resources_here(const comm::Communicator& world,
                                                   const NodeMap& nodes, double part = 1);

/// What to say where some machine has too little room for the weights and sums that its ranks would
/// share under a layout; nothing where all have enough. `part`: of the machine's memory that they
/// may use. Collective.
[[nodiscard]] std::string lacking_node_memory(const comm::Communicator& world,
                                              const planner::ExecutionLayout& layout,
                                              const planner::CostModel& model, double part = 1);

}  // namespace civitas::profiling
