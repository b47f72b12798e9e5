#include "civitas/comm/node_map.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("ranks of one machine are one node, unless fewer are to count as one") {
    const auto world = comm::Communicator::world();
    CHECK(comm::node_map(world) == NodeMap::filled(world.size(), world.size()));
    CHECK(comm::node_map(world, 1).nodes() == world.size());
    CHECK(comm::node_map(world, 0).nodes() == 1);
    CHECK(comm::node_map(world, world.size()).nodes() == 1);
    const NodeMap threes = comm::node_map(world, 3);
    CHECK(threes.nodes() == (world.size() + 2) / 3);
    CHECK(threes.fewest_ranks() == (world.size() % 3 == 0 ? 3 : world.size() % 3));
}
