#include "civitas/planner/served_seconds.hpp"

#include <algorithm>
#include <map>

namespace civitas::planner {
namespace {

/// Whether the same ranks serve and work.
bool all_do_both(const ServerRoles& roles) {
    return roles.servers() == roles.ranks() && roles.workers() == roles.ranks();
}

/// Ranks of a node, by what they do.
struct NodeRanks {
    int servers = 0, workers = 0;
};

std::map<int, NodeRanks> ranks_by_node(const ServedModel& served) {
    std::map<int, NodeRanks> nodes;
    for (const Rank rank : each<Rank>(served.roles.ranks())) {
        NodeRanks& node = nodes[served.nodes.node_of(rank)];
        node.servers += served.roles.serves(rank) ? 1 : 0;
        node.workers += served.roles.works(rank) ? 1 : 0;
    }
    return nodes;
}

}  // namespace

double exchange_seconds(const ServedModel& served, const MachineModel& machine,
                        std::int64_t bytes) {
    const ServerRoles& roles = served.roles;
    const int itself = all_do_both(roles) ? 1 : 0;
    const double slice = static_cast<double>(bytes) / roles.servers();
    const double at_work =
        static_cast<double>(served.workers_at_once()) / roles.workers();  // share of the workers
    double through_node = 0;                                              // slices
    for (const auto& [_, node] : ranks_by_node(served))
        through_node =
            std::max({through_node, at_work * node.workers * (roles.servers() - node.servers),
                      at_work * (roles.workers() - node.workers) * node.servers});
    const double through_rank =
        std::max<double>(roles.servers() - itself, at_work * (roles.workers() - itself));
    const double latency = through_node > 0 ? machine.network_latency : machine.link_latency;
    return (roles.servers() - itself) * latency +
           slice * std::max(through_rank / machine.link_bandwidth,
                            through_node / machine.network_bandwidth);
}

double step_seconds(const ServedModel& served, double part_s, double once_s) {
    const double alone_s = part_s - once_s;
    if (served.max_staleness == 0)
        return alone_s * static_cast<double>(served.parts_of_worker()) + once_s;
    const double work_s =
        alone_s * static_cast<double>(served.parts) / static_cast<double>(served.workers_at_once());
    return all_do_both(served.roles) ? work_s + once_s : std::max(work_s, once_s);
}

}  // namespace civitas::planner
