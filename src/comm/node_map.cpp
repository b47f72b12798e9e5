#include "civitas/comm/node_map.hpp"

#include "civitas/comm/agree.hpp"

namespace civitas::comm {
namespace {

NodeMap by_shared_memory(const Communicator& world) {
    const Communicator machine = world.split_by_machine();
    return NodeMap(world.all_gather(machine.broadcast(index(world.rank()))));
}

}  // namespace

NodeMap node_map(const Communicator& world, int ranks_of_node) {
    NodeMap machines = by_shared_memory(world);
    if (ranks_of_node == 0) return machines;
    return agree(world, [&] {
        NodeMap nodes = NodeMap::filled(world.size(), ranks_of_node);
        if (const auto parted = nodes.parted_by(machines))
            throw UsageError(text("--node-size ", ranks_of_node, ": ranks ", index(parted->first),
                                  " and ", index(parted->second), " share no memory"),
                             Hint{"a divisor of the ranks of a machine, which follow each other "
                                  "(mpirun --map-by slot, srun -m block), or leave it out"});
        return nodes;
    });
}

}  // namespace civitas::comm
