#include "support/tensor.hpp"

#include "civitas/comm/mesh.hpp"

#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::comm;

TEST_CASE("each axis has its extent and its own order") {
    const auto world = Communicator::world();
    const int pipes = world.size() % 2 == 0 ? 2 : 1;
    const Mesh mesh(world, {{Axis::data, world.size() / pipes}, {Axis::pipe, pipes}});
    REQUIRE_ALL(world, mesh.group(Axis::pipe).size() == pipes);
    REQUIRE_ALL(world, index(mesh.group(Axis::pipe).rank()) == mesh.coordinate()[Axis::pipe]);
    REQUIRE_ALL(world, index(mesh.group(Axis::data).rank()) == mesh.coordinate()[Axis::data]);
    REQUIRE_ALL(world, mesh.group(Axis::tensor).size() == 1);
}
