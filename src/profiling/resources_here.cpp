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

planner::MachineModel resources_here(const comm::Communicator& world) {
    const auto node = world.split_by_node();
    planner::MachineModel machine = resources_of_node();
    machine.nodes = static_cast<int>(world.sum(std::int64_t{node.is_root() ? 1 : 0}));
    machine.cores = static_cast<int>(world.min(std::int64_t{machine.cores}));
    machine.memory = std::min(machine.memory, environment::memory_of_process() * node.size());
    machine.memory = -world.max(-machine.memory);
    return machine;
}

}  // namespace civitas::profiling
