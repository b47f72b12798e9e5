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
    CHECK_THROWS_WITH(parse_mesh("data=2,data=4", 4), Catch::Contains("says data twice"));
    CHECK_THROWS_WITH(parse_mesh("data=1,data=1", 1), Catch::Contains("says data twice"));
    for (const char* words : {"data=4,", ",data=4", "data=2,,pipe=2", ","})
        CHECK_THROWS_WITH(parse_mesh(words, 4), Catch::Contains("cannot read ''"));
    CHECK(parse_mesh("data=2000", 2000) == parse_mesh("", 2000));
    for (const auto* words : {"pipe=65536,tensor=65536", "data=2147483647,pipe=2147483647"})
        CHECK_THROWS_WITH(parse_mesh(words, 1), Catch::Contains("is of more than 1000000 ranks"));
}

TEST_CASE("an axis that is auto takes the ranks that the others leave") {
    CHECK(parse_mesh("data=auto,pipe=2", 6) == MeshShape{.data = 3, .pipe = 2});
    CHECK(parse_mesh("pipe=auto", 4) == MeshShape{.pipe = 4});
    CHECK_THROWS_WITH(parse_mesh("data=auto,pipe=4", 6),
                      "mesh data=auto,pipe=4 needs a multiple of 4 ranks, the job has 6. Hint: "
                      "mpirun -n 8.");
    CHECK_THROWS_WITH(parse_mesh("data=auto,pipe=auto", 4),
                      Catch::Contains("only one axis can be auto"));
    CHECK(parse_mesh("pipe=2") == MeshShape{.pipe = 2});
    CHECK(parse_mesh("") == MeshShape{});
    CHECK_THROWS_WITH(parse_mesh("pipe=auto"), Catch::Contains("number of ranks is not known"));
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
