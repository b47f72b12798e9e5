#include "steps/cuts.hpp"

#include "support/tensor.hpp"

using namespace civitas;
using namespace civitas::steps;

namespace {

tasks::RankReport told(tasks::NeighbourTraffic before, tasks::NeighbourTraffic after) {
    return {.before = before, .after = after};
}

}  // namespace

TEST_CASE("cuts add up what all copies of a pipe send, and have the longest wait") {
    const MeshShape mesh{{Axis::data, 2}, {Axis::pipe, 2}};
    // In a pipe of two either rank is after the other.
    const std::vector ranks{told({}, {100, 0.5}), told({}, {30, 0.25}), told({}, {100, 0.125}),
                            told({}, {30, 2})};
    CHECK(
        (cuts_of(ranks, mesh) == std::vector<report::CutFigures>{{0, 1, 200, 2}, {1, 0, 60, 0.5}}));
}

TEST_CASE("the last of a pipe and the first are next to each other") {
    const MeshShape mesh{{Axis::pipe, 3}};
    const std::vector ranks{told({7, 0.5}, {1, 0.25}), told({2, 0}, {3, 0}),
                            told({0, 0.125}, {5, 1})};
    CHECK((cuts_of(ranks, mesh) ==
           std::vector<report::CutFigures>{
               {0, 1, 1, 0}, {0, 2, 7, 1}, {1, 0, 2, 0.25}, {1, 2, 3, 0.125}, {2, 0, 5, 0.5}}));
}

TEST_CASE("without a pipe there are none") {
    const std::vector ranks{told({}, {}), told({}, {})};
    CHECK(cuts_of(ranks, MeshShape{{Axis::data, 2}}).empty());
}
