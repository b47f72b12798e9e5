#include "civitas/comm/node_map.hpp"

#include "civitas/comm/agree.hpp"

#include <map>

namespace civitas::comm {
namespace {

NodeMap by_shared_memory(const Communicator& world) {
    const Communicator node = world.split_by_node();
    std::map<int, int> numbers;  // by the node's first rank
    std::vector<int> nodes;
    for (const int first : world.all_gather(node.broadcast(index(world.rank()))))
        nodes.push_back(numbers.try_emplace(first, static_cast<int>(numbers.size())).first->second);
    return NodeMap(std::move(nodes));
}

}  // namespace

NodeMap node_map(const Communicator& world, int ranks_of_node) {
    const NodeMap machines = by_shared_memory(world);
    if (ranks_of_node == 0) return machines;
    return agree(world, [&] {
        NodeMap nodes = NodeMap::filled(world.size(), ranks_of_node);
        if (const auto parted = nodes.parted_by(machines))
            throw UsageError(text("--node-size ", ranks_of_node, ": ranks ", index(parted->first),
                                  " and ", index(parted->second), " share no memory"),
                             Hint{"a divisor of the ranks of a machine, or leave it out"});
        return nodes;
    });
}

}  // namespace civitas::comm
