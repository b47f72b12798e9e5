#include "steps/cuts.hpp"

#include "support/tensor.hpp"

using namespace civitas;
using namespace civitas::steps;

using Traffic = std::vector<std::vector<tasks::PipeTraffic>>;
using Cuts = std::vector<report::CutFigures>;

TEST_CASE("cuts add up what all copies of a pipe send, and have the longest wait") {
    const MeshShape mesh{{Axis::data, 2}, {Axis::pipe, 2}};
    const Traffic told{{{}, {100, 0.5}}, {{30, 0.25}, {}}, {{}, {100, 0.125}}, {{30, 2}, {}}};
    CHECK((cuts_of(told, mesh) == Cuts{{0, 1, 200, 2}, {1, 0, 60, 0.5}}));
}

TEST_CASE("any two places of a pipe may have a cut between them") {
    const MeshShape mesh{{Axis::pipe, 4}};
    const Traffic told{{{}, {1, 0.25}, {7, 0.5}, {}},
                       {{2, 0}, {}, {}, {3, 0}},
                       {{5, 1}, {}, {}, {}},
                       {{}, {0, 0.125}, {}, {}}};
    CHECK((cuts_of(told, mesh) ==
           Cuts{{0, 1, 1, 0}, {0, 2, 7, 1}, {1, 0, 2, 0.25}, {1, 3, 3, 0.125}, {2, 0, 5, 0.5}}));
}

TEST_CASE("without a pipe there are none") {
    CHECK(cuts_of(Traffic(2), MeshShape{{Axis::data, 2}}).empty());
}
