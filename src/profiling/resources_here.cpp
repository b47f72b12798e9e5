#include "civitas/profiling/resources_here.hpp"

#include "civitas/environment/memory_limits.hpp"

#include <unistd.h>
#include <algorithm>

namespace civitas::profiling {

planner::MachineModel resources_of_node() {
    planner::MachineModel machine;
    machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.memory = std::min(
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
        environment::memory_of_groups());
    return machine;
}

planner::MachineModel resources_here(const comm::Communicator& world, const NodeMap& nodes) {
    const int machine_ranks = world.split_by_machine().size();
    const int node_ranks = static_cast<int>(nodes.beside(world.rank()).size());
    const double share = static_cast<double>(node_ranks) / machine_ranks;
    planner::MachineModel machine = resources_of_node();
    machine.nodes = nodes.nodes();
    const std::int64_t cores = std::int64_t{machine.cores} * node_ranks / machine_ranks;
    machine.cores = static_cast<int>(std::max(std::int64_t{1}, world.min(cores)));
    machine.memory =
        std::min(machine.memory * share, environment::memory_of_process() * node_ranks);
    machine.memory = -world.max(-machine.memory);
    return machine;
}

}  // namespace civitas::profiling
