#include "civitas/base/mesh_shape.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("coordinate and rank are inverse, tensor fastest") {
    constexpr MeshShape shape{{Axis::data, 2}, {Axis::pipe, 3}, {Axis::tensor, 4}};
    for (int r = 0; r < shape.size(); ++r) CHECK(shape.rank(shape.coordinate(Rank{r})) == Rank{r});
    STATIC_REQUIRE(shape.coordinate(Rank{1}) == Coordinate{{Axis::tensor, 1}});
}

TEST_CASE("a mesh is read from text") {
    CHECK(MeshRequest("").of_ranks(4) == MeshShape{{Axis::data, 4}});
    CHECK(MeshRequest("pipe=2,data=3").of_ranks(6) == MeshShape{{Axis::data, 3}, {Axis::pipe, 2}});
    CHECK_THROWS_WITH(
        MeshRequest("data=3,pipe=2,tensor=1").of_ranks(4),
        "mesh data=3,pipe=2,tensor=1 needs 6 ranks, the job has 4. Hint: mpirun -n 6, "
        "or --mesh data=2,pipe=2,tensor=1.");
    const RanksSaid by_option{"--ranks says ", "--ranks "};
    CHECK_THROWS_WITH(MeshRequest("pipe=2").of_ranks(4, by_option),
                      "mesh data=1,pipe=2,tensor=1 needs 2 ranks, --ranks says 4. Hint: --ranks 2, "
                      "or --mesh data=2,pipe=2,tensor=1.");
    CHECK_THROWS_WITH(MeshRequest("data=auto,pipe=4").of_ranks(6, by_option),
                      "mesh data=auto,pipe=4 needs a multiple of 4 ranks, --ranks says 6. Hint: "
                      "--ranks 8.");
    CHECK_THROWS_WITH(MeshRequest("data=x").of_ranks(4), Catch::Contains("cannot read 'data=x'"));
    CHECK_THROWS_WITH(MeshRequest("date=2").of_ranks(2), Catch::Contains("cannot read 'date=2'"));
    CHECK_THROWS_AS(MeshRequest("data=0").of_ranks(0), UsageError);
    CHECK_THROWS_WITH(MeshRequest("data=2,data=4").of_ranks(4), Catch::Contains("says data twice"));
    CHECK_THROWS_WITH(MeshRequest("data=1,data=1").of_ranks(1), Catch::Contains("says data twice"));
    for (const char* words : {"data=4,", ",data=4", "data=2,,pipe=2", ","})
        CHECK_THROWS_WITH(MeshRequest(words).of_ranks(4), Catch::Contains("cannot read ''"));
    CHECK(MeshRequest("data=2000").of_ranks(2000) == MeshRequest("").of_ranks(2000));
    for (const auto* words : {"pipe=65536,tensor=65536", "data=2147483647,pipe=2147483647"})
        CHECK_THROWS_WITH(MeshRequest(words).of_ranks(1),
                          Catch::Contains("is of more than 1000000 ranks"));
}

TEST_CASE("an axis that is auto takes the ranks that the others leave") {
    CHECK(MeshRequest("data=auto,pipe=2").of_ranks(6) ==
          MeshShape{{Axis::data, 3}, {Axis::pipe, 2}});
    CHECK(MeshRequest("pipe=auto").of_ranks(4) == MeshShape{{Axis::pipe, 4}});
    CHECK_THROWS_WITH(MeshRequest("data=auto,pipe=4").of_ranks(6),
                      "mesh data=auto,pipe=4 needs a multiple of 4 ranks, the job has 6. Hint: "
                      "mpirun -n 8.");
    CHECK_THROWS_WITH(MeshRequest("data=auto,pipe=auto").of_ranks(4),
                      Catch::Contains("only one axis can be auto"));
    CHECK(MeshRequest("pipe=2").of_itself() == MeshShape{{Axis::pipe, 2}});
    CHECK(MeshRequest("").of_itself() == MeshShape{});
    CHECK_THROWS_WITH(MeshRequest("pipe=auto").of_itself(),
                      Catch::Contains("number of ranks is not known"));
}

TEST_CASE("the ranks of a group differ along its axis alone") {
    const MeshShape shape{{Axis::data, 2}, {Axis::pipe, 2}, {Axis::tensor, 2}};
    const auto numbers = [](const std::vector<Rank>& ranks) {
        std::vector<int> all;
        for (const Rank rank : ranks) all.push_back(index(rank));
        return all;
    };
    CHECK(numbers(shape.group(Rank{5}, Axis::data)) == std::vector{1, 5});
    CHECK(numbers(shape.group(Rank{5}, Axis::pipe)) == std::vector{5, 7});
    CHECK(numbers(shape.group(Rank{5}, Axis::tensor)) == std::vector{4, 5});
    CHECK(numbers(shape.first_of_groups(Axis::data)) == std::vector{0, 1, 2, 3});
    CHECK(numbers(shape.first_of_groups(Axis::pipe)) == std::vector{0, 1, 4, 5});
    CHECK(numbers(shape.first_of_groups(Axis::tensor)) == std::vector{0, 2, 4, 6});
}

TEST_CASE("shapes and coordinates are written with the names of the axes") {
    CHECK(to_string(MeshShape{{Axis::pipe, 2}}) == "data=1,pipe=2,tensor=1");
    CHECK(to_string(Coordinate{{Axis::pipe, 2}}) == "data=0,pipe=2,tensor=0");
}
