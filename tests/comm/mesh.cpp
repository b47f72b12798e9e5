#include "civitas/comm/mesh.hpp"

#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::comm;

TEST_CASE("coordinate and rank are inverse, tensor fastest") {
    constexpr MeshShape shape{.data = 2, .pipe = 3, .tensor = 4};
    for (int r = 0; r < shape.size(); ++r) CHECK(shape.rank(shape.coordinate(Rank{r})) == Rank{r});
    STATIC_REQUIRE(shape.coordinate(Rank{1}) == Coordinate{0, 0, 1});
}

TEST_CASE("a mesh is read from text") {
    CHECK(parse_mesh("", 4) == MeshShape{.data = 4});
    CHECK(parse_mesh("pipe=2,data=3", 6) == MeshShape{.data = 3, .pipe = 2});
    CHECK_THROWS_WITH(
        parse_mesh("data=3,pipe=2,tensor=1", 4),
        "mesh data=3,pipe=2,tensor=1 needs 6 ranks, the job has 4. Hint: mpirun -n 6, "
        "or --mesh data=2,pipe=2,tensor=1.");
    CHECK_THROWS_WITH(parse_mesh("data=x", 4), Catch::Contains("cannot read 'data=x'"));
    CHECK_THROWS_WITH(parse_mesh("date=2", 2), Catch::Contains("cannot read 'date=2'"));
    CHECK_THROWS_AS(parse_mesh("data=0", 0), UsageError);
    CHECK_THROWS_AS(parse_mesh("pipe=65536,tensor=65536", 1), UsageError);
}

TEST_CASE("each axis has its extent and its own order") {
    const auto world = Communicator::world();
    const int pipes = world.size() % 2 == 0 ? 2 : 1;
    const Mesh mesh(world, {.data = world.size() / pipes, .pipe = pipes});
    REQUIRE_ALL(world, mesh.along(Axis::pipe).size() == pipes);
    REQUIRE_ALL(world, index(mesh.along(Axis::pipe).rank()) == mesh.here().pipe);
    REQUIRE_ALL(world, index(mesh.along(Axis::data).rank()) == mesh.here().data);
    REQUIRE_ALL(world, mesh.along(Axis::tensor).size() == 1);
}
