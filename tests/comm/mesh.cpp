#include "civitas/comm/mesh.hpp"

#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::comm;

TEST_CASE("each axis has its extent and its own order") {
    const auto world = Communicator::world();
    const int pipes = world.size() % 2 == 0 ? 2 : 1;
    const Mesh mesh(world, {{Axis::data, world.size() / pipes}, {Axis::pipe, pipes}});
    REQUIRE_ALL(world, mesh.along(Axis::pipe).size() == pipes);
    REQUIRE_ALL(world, index(mesh.along(Axis::pipe).rank()) == mesh.here()[Axis::pipe]);
    REQUIRE_ALL(world, index(mesh.along(Axis::data).rank()) == mesh.here()[Axis::data]);
    REQUIRE_ALL(world, mesh.along(Axis::tensor).size() == 1);
}
