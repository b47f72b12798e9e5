#include "civitas/profiling/resources_here.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/node_memory.hpp"
#include "civitas/environment/memory_limits.hpp"

#include <unistd.h>
#include <algorithm>

namespace civitas::profiling {
planner::MachineModel resources_of_node() {
    planner::MachineModel machine;
    machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.memory = environment::memory_of_machine();
    return machine;
}

planner::MachineModel resources_here(const comm::Communicator& world, const NodeMap& nodes,
                                     double part) {
    const int machine_ranks = world.split_by_machine().size();
    const int node_ranks = static_cast<int>(nodes.beside(world.rank()).size());
    const double share = part * node_ranks / machine_ranks;
    planner::MachineModel machine = resources_of_node();
    machine.nodes = nodes.nodes();
    constexpr double rounding = 1e-9;
    machine.memory_bandwidth *= part;
    machine.disk_bandwidth *= part;
    const double cores = -world.max(-machine.cores * share);
    machine.scale_flops(std::min(1.0, cores));
    machine.cores = std::max(1, static_cast<int>(cores + rounding));
    machine.memory =
        std::min(machine.memory * share, environment::memory_of_process() * node_ranks);
    machine.memory = -world.max(-machine.memory);
    return machine;
}

std::string lacking_node_memory(const comm::Communicator& world,
                                const planner::ExecutionLayout& layout,
                                const planner::CostModel& model, double part) {
    if (layout.ranks_of_node == 1) return {};
    constexpr std::int64_t windows = 1 << 16;  // of a rank, what each begins with and ends in
    const auto mine = model.memory(layout, model.costs(layout), world.rank()).nets.shared;
    const std::int64_t needed = world.split_by_machine().sum(mine + windows);
    const auto there = comm::node_memory_room();
    const auto room = static_cast<std::int64_t>(part * static_cast<double>(there.value_or(0)));
    std::string words;
    if (there && room < needed)
        words = text("the ranks of this machine would share ", megabytes(needed), ", ",
                     comm::node_memory_disk, " has room for ", megabytes(room),
                     ": takes --weight-copies rank. Hint: more room there (mount -o "
                     "remount,size=..., docker run --shm-size) saves memory and time");
    for (const std::string& told : world.all_gather(words))
        if (!told.empty()) return told;
    return {};
}

}  // namespace civitas::profiling
