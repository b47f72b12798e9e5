#include "civitas/base/node_map.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("nodes are filled with ranks in order") {
    const NodeMap map = NodeMap::filled(5, 2);
    CHECK(map == NodeMap({0, 0, 1, 1, 2}));
    CHECK(map.ranks() == 5);
    CHECK(map.nodes() == 3);
    CHECK(map.beside(Rank{3}) == std::vector{Rank{2}, Rank{3}});
    CHECK(map.beside(Rank{4}) == std::vector{Rank{4}});
    CHECK(NodeMap::filled(4, 8).nodes() == 1);
}

TEST_CASE("a map that only divides nodes parts no ranks that another joins") {
    const NodeMap machines = NodeMap::filled(8, 4);
    CHECK_FALSE(NodeMap::filled(8, 2).parted_by(machines));
    CHECK_FALSE(machines.parted_by(machines));
    CHECK(NodeMap::filled(8, 3).parted_by(machines) == std::pair{Rank{3}, Rank{4}});
}

TEST_CASE("ranks of a node need not follow each other") {
    const NodeMap map({7, 3, 7});
    CHECK(map.nodes() == 2);
    CHECK(map.together(Rank{0}, Rank{2}));
    CHECK_FALSE(map.together(Rank{0}, Rank{1}));
    CHECK(map.beside(Rank{2}) == std::vector{Rank{0}, Rank{2}});
}
