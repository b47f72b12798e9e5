#pragma once
/// The machine that the program runs on, looked at.
#include "civitas/base/node_map.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/planner/machine_model.hpp"

namespace civitas::profiling {

/// Cores and memory of this node, those the process may use; rates are the defaults.
[[nodiscard]] planner::MachineModel resources_of_node();

/// Nodes, cores and memory of the machine the job runs on, the same on all ranks; rates are the
/// defaults. Where some ranks of a machine count as a node they have their share of it. Collective.
[[nodiscard]] planner::MachineModel resources_here(const comm::Communicator& world,
                                                   const NodeMap& nodes);

}  // namespace civitas::profiling
