#include "civitas/planner/network.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace civitas::planner {
namespace {

/// Whom a rank talks to along an axis.
std::vector<Rank> partners_of(MeshShape mesh, Rank rank, Axis axis) {
    const int extent = mesh[axis];
    Coordinate at = mesh.coordinate(rank);
    const int here = at[axis];
    std::vector<Rank> partners;
    for (int step = 1; step < extent; ++step) {
        if (axis == Axis::pipe && step != 1 && step != extent - 1) continue;
        at[axis] = (here + step) % extent;
        partners.push_back(mesh.rank(at));
    }
    return partners;
}

/// The most that a rank of a group sends to other nodes, of what it sends to all others alike; all
/// of it along the pipe, where the slowest message counts.
double share_leaving(MeshShape mesh, Axis axis, const NodeMap& nodes) {
    if (axis == Axis::pipe) return 1;
    double most = 0;
    for (int r = 0; r < mesh.size(); ++r) {
        const auto partners = partners_of(mesh, Rank{r}, axis);
        const auto elsewhere = std::count_if(partners.begin(), partners.end(), [&](Rank partner) {
            return !nodes.together(partner, Rank{r});
        });
        if (elsewhere > 0)
            most = std::max(most,
                            static_cast<double>(elsewhere) / static_cast<double>(partners.size()));
    }
    return most;
}

}  // namespace

int ranks_leaving(MeshShape mesh, Axis axis, const NodeMap& nodes) {
    std::map<int, int> leaving;  // by node
    for (int r = 0; r < mesh.size(); ++r) {
        const auto partners = partners_of(mesh, Rank{r}, axis);
        if (std::any_of(partners.begin(), partners.end(),
                        [&](Rank partner) { return !nodes.together(partner, Rank{r}); }))
            ++leaving[nodes.node_of(Rank{r})];
    }
    int most = 0;
    for (const auto& [node, ranks] : leaving) most = std::max(most, ranks);
    return most;
}

NodeMap nodes_of(const MachineModel& machine, int ranks) {
    return NodeMap::filled(ranks, machine.ranks_of_node(ranks));
}

Link link_along(const MachineModel& machine, const NodeMap& nodes, MeshShape mesh, Axis axis) {
    const int sharing = ranks_leaving(mesh, axis, nodes);
    if (sharing == 0) return {machine.link_latency, machine.link_bandwidth};
    const double beyond = share_leaving(mesh, axis, nodes);
    const double by_link_s = 1 / machine.link_bandwidth;  // of a byte
    const double by_network_s = std::max(sharing / machine.network_bandwidth, by_link_s);
    return {machine.network_latency, 1 / std::max((1 - beyond) * by_link_s, beyond * by_network_s)};
}

}  // namespace civitas::planner
