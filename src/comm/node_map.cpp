#include "civitas/comm/node_map.hpp"

#include <map>

namespace civitas::comm {

NodeMap node_map(const Communicator& world, std::optional<int> ranks_of_node) {
    if (ranks_of_node) return NodeMap::filled(world.size(), *ranks_of_node);
    const Communicator node = world.split_by_node();
    std::map<int, int> numbers;  // by the node's first rank
    std::vector<int> nodes;
    for (const int first : world.all_gather(node.broadcast(index(world.rank()))))
        nodes.push_back(numbers.try_emplace(first, static_cast<int>(numbers.size())).first->second);
    return NodeMap(std::move(nodes));
}

}  // namespace civitas::comm
