#include "civitas/comm/node_map.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace civitas;

TEST_CASE("ranks of one machine are one node, unless fewer are to count as one") {
    const auto world = comm::Communicator::world();
    CHECK(comm::node_map(world) == NodeMap::filled(world.size(), world.size()));
    CHECK(comm::node_map(world, 1).nodes() == world.size());
    CHECK(comm::node_map(world, 0).nodes() == 1);
    CHECK(comm::node_map(world, world.size()).nodes() == 1);
    if (world.size() % 3 != 0)
        CHECK_THROWS_WITH(comm::node_map(world, 3),
                          "--node-size 3: the job has " + std::to_string(world.size()) +
                              " ranks, no multiple of it. Hint: nodes of one size, or leave it "
                              "out.");
}
