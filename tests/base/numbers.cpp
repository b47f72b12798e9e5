#include "civitas/base/numbers.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace civitas;

namespace {

/// Whether `To{from}` compiles.
template <class To, class From>
concept MakeableFrom = requires(From from) {
    To{from};
};

}  // namespace

TEST_CASE("a stage, a place on the pipe and a rank are made of numbers, not of each other") {
    STATIC_REQUIRE(MakeableFrom<Rank, int>);
    STATIC_REQUIRE_FALSE(MakeableFrom<Rank, PipeCoordinate>);
    STATIC_REQUIRE_FALSE(MakeableFrom<PipeCoordinate, Rank>);
    STATIC_REQUIRE_FALSE(MakeableFrom<PipeCoordinate, StageId>);
    STATIC_REQUIRE_FALSE(MakeableFrom<StageId, PipeCoordinate>);
    STATIC_REQUIRE_FALSE(MakeableFrom<int, StageId>);
}

TEST_CASE("each() counts from the first to the last") {
    std::vector<StageId> stages;
    for (const StageId stage : each<StageId>(3)) stages.push_back(stage);
    CHECK(stages == std::vector{first_stage, next(first_stage), last_stage(3)});
    CHECK(previous(last_stage(3)) == StageId{1});
    for (const StageId stage : each<StageId>(0)) FAIL("there is no stage " << index(stage));
}
