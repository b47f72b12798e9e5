#include "civitas/planner/network.hpp"

#include "civitas/planner/cost_model.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;

namespace {

int leaving(MeshShape mesh, Axis axis, int ranks_of_node) {
    return ranks_leaving(mesh, axis, NodeMap::filled(mesh.size(), ranks_of_node));
}

Link link(const MachineModel& machine, MeshShape mesh, Axis axis) {
    return link_along(machine, nodes_of(machine, mesh.size()), mesh, axis);
}

}  // namespace

TEST_CASE("tensor groups share a node as long as their ranks are no more than a node's") {
    for (const int t : {1, 2, 4}) {
        const MeshShape mesh{{Axis::data, 2}, {Axis::pipe, 4 / t}, {Axis::tensor, t}};
        CHECK(leaving(mesh, Axis::tensor, 4) == 0);
    }
    CHECK(leaving({{Axis::tensor, 8}}, Axis::tensor, 4) == 4);
    // Three ranks a node: groups {2 3} and {8 9} lie across.
    CHECK(leaving({{Axis::data, 6}, {Axis::tensor, 2}}, Axis::tensor, 3) == 1);
}

TEST_CASE("pipes leave a node at its ends, data groups with every rank") {
    CHECK(leaving({{Axis::data, 2}, {Axis::pipe, 4}}, Axis::pipe, 4) == 0);
    CHECK(leaving({{Axis::data, 2}, {Axis::pipe, 4}}, Axis::data, 4) == 4);
    CHECK(leaving({{Axis::pipe, 8}}, Axis::pipe, 4) == 2);  // 3 to 4, and 7 to 0
    CHECK(leaving({{Axis::pipe, 4}, {Axis::tensor, 2}}, Axis::pipe, 4) == 4);
    CHECK(leaving({{Axis::data, 8}}, Axis::pipe, 4) == 0);
    CHECK(leaving({{Axis::data, 8}}, Axis::data, 8) == 0);
}

TEST_CASE("within a node the link, between nodes a share of the network") {
    MachineModel machine;
    machine.nodes = 2;
    const MeshShape mesh{{Axis::data, 2}, {Axis::pipe, 2}, {Axis::tensor, 2}};
    const auto within = link(machine, mesh, Axis::tensor);
    CHECK(within.latency_s == machine.link_latency);
    CHECK(within.bytes_per_second == machine.link_bandwidth);
    CHECK(link(machine, mesh, Axis::pipe).bytes_per_second == machine.link_bandwidth);
    const auto between = link(machine, mesh, Axis::data);
    CHECK(between.latency_s == machine.network_latency);
    CHECK(between.bytes_per_second == Approx(machine.network_bandwidth / 4));
    CHECK(between.seconds(3, 1000) ==
          Approx(3 * machine.network_latency + 4000 / machine.network_bandwidth));
    machine.nodes = 1;
    CHECK(link(machine, mesh, Axis::data).bytes_per_second == machine.link_bandwidth);
}

TEST_CASE("of what a rank sends to all of its group only what leaves the node takes the network") {
    MachineModel machine;
    machine.nodes = 2;
    machine.network_bandwidth = 1e9;
    // Eight ranks, four of them on each node: a rank has three others beside it, four elsewhere.
    const MeshShape replicas{{Axis::data, 8}};
    CHECK(link(machine, replicas, Axis::data).seconds(0, 7000) ==
          Approx(4000 * 4 / machine.network_bandwidth));
    // Where the network is no bottleneck, a rank sends what leaves its node as fast as the rest.
    machine.network_bandwidth = 1e15;
    CHECK(link(machine, replicas, Axis::data).seconds(0, 7000) ==
          Approx(4000 / machine.link_bandwidth));
}

TEST_CASE("nodes may have ranks that do not follow each other") {
    const MeshShape mesh{{Axis::data, 2}, {Axis::tensor, 2}};
    CHECK(ranks_leaving(mesh, Axis::tensor, NodeMap({0, 1, 0, 1})) == 2);
    CHECK(ranks_leaving(mesh, Axis::data, NodeMap({0, 1, 0, 1})) == 0);
    CHECK(ranks_leaving(mesh, Axis::data, NodeMap({5, 5, 5, 2})) == 1);

    MachineModel machine;
    machine.nodes = 2;
    const Workload workload = workload_of({}, {});
    const auto bandwidth = [&](const NodeMap& nodes, Axis axis) {
        return CostModel(workload, machine, nodes).link(mesh, axis).bytes_per_second;
    };
    CHECK(bandwidth(NodeMap({0, 0, 1, 1}), Axis::tensor) == machine.link_bandwidth);
    CHECK(bandwidth(NodeMap({0, 1, 0, 1}), Axis::tensor) == Approx(machine.network_bandwidth / 2));
    CHECK(bandwidth(NodeMap({0, 1, 0, 1}), Axis::data) == machine.link_bandwidth);
}
