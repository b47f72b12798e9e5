#include "civitas/planner/network.hpp"

#include <algorithm>
#include <map>

namespace civitas::planner {
namespace {

struct Leaving {
    int ranks = 0;     ///< of a node, that talk to other nodes, at most
    int partners = 0;  ///< on other nodes, of a rank, at most
};

Leaving leaving_along(MeshShape mesh, Axis axis, const NodeMap& nodes) {
    Leaving most;
    std::map<int, int> leaving;  // by node
    for (const Rank first : mesh.first_of_groups(axis)) {
        const NodeMap group = nodes.of(mesh.group(first, axis));
        std::map<int, int> here;  // ranks of the group, by node
        for (const Rank rank : each<Rank>(group.ranks())) ++here[group.node_of(rank)];
        for (const Rank rank : each<Rank>(group.ranks())) {
            const auto is_away = [&](int step) {
                return !group.together(rank, Rank{(index(rank) + step) % group.ranks()});
            };
            const int partners = axis == Axis::pipe ? is_away(1) + is_away(group.ranks() - 1)
                                                    : group.ranks() - here[group.node_of(rank)];
            most.partners = std::max(most.partners, partners);
            if (partners > 0) most.ranks = std::max(most.ranks, ++leaving[group.node_of(rank)]);
        }
    }
    return most;
}

}  // namespace

int ranks_leaving(MeshShape mesh, Axis axis, const NodeMap& nodes) {
    return leaving_along(mesh, axis, nodes).ranks;
}

NodeMap nodes_of(const MachineModel& machine, int ranks) {
    return NodeMap::filled(ranks, machine.ranks_of_node(ranks));
}

Link link_along(const MachineModel& machine, const NodeMap& nodes, MeshShape mesh, Axis axis) {
    const auto [sharing, partners] = leaving_along(mesh, axis, nodes);
    if (sharing == 0) return {machine.link_latency, machine.link_bandwidth};
    // What a rank sends to other nodes, of what it sends to all others of its group alike; all of
    // it along the pipe, where the slowest message counts.
    const double beyond = axis == Axis::pipe ? 1 : static_cast<double>(partners) / (mesh[axis] - 1);
    const double by_link_s = 1 / machine.link_bandwidth;  // of a byte
    const double by_network_s = std::max(sharing / machine.network_bandwidth, by_link_s);
    return {machine.network_latency, 1 / std::max((1 - beyond) * by_link_s, beyond * by_network_s)};
}

}  // namespace civitas::planner
