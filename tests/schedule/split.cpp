#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/split_tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

/// The stage whose part a stage is, and which of its parts.
std::pair<StageId, int> part_in(const StageParts& parts, const Action& a) {
    int part = index(a.stage);
    int stage = 0;
    for (const int count : parts.at(static_cast<std::size_t>(a.net))) {
        if (part < count) break;
        part -= count;
        ++stage;
    }
    return {StageId{stage}, part};
}

}  // namespace

TEST_CASE("a split stage is visited part by part, there and back") {
    const ScheduleShape shape{.graph = classifier(), .coordinates = 2};
    CHECK(to_string(split_stages(make_schedule("zero-bubble", shape), {{2, 1}})) ==
          "schedule zero-bubble\n"
          "C0.train.F0 C1.train.F0 C1.train.B0 C0.train.B0 C1.train.W0 C0.train.W0 "
          "C.reduce C.step\n"
          "C2.train.F0 C2.train.B0 C2.train.W0 C.reduce C.step\n");
    CHECK(to_string(three_stages(1)) ==
          "schedule 1f1b\n"
          "C0.train.F0 C1.train.F0 C2.train.F0 C2.train.BW0 C1.train.BW0 C0.train.BW0 "
          "C.reduce C.step\n");
    CHECK_THROWS_AS(split_stages(three_stages(1), {{1, 0, 1}}), Error);
}

TEST_CASE("split tables pass the check, and are the tables that were split") {
    for_some_tables([](const std::string& name, const ScheduleShape& shape) {
        const Schedule whole = make_schedule(name, shape);
        const StageParts parts = uneven_parts(shape);
        const Schedule split = split_stages(whole, parts);
        INFO(to_string(split));
        const StageCounts stages = counts_of(parts);
        REQUIRE_NOTHROW(check_schedule(split, stages, shape.micro_batches));
        Schedule joined{split.name, split.graph, {}};
        for (const auto& actions : split.coordinates) {
            auto& list = joined.coordinates.emplace_back();
            for (const Action& a : actions) {
                const auto [stage, part] = part_in(parts, a);
                if (of_whole_net(a.kind) || part == 0) list.push_back(at_stage(a, stage));
            }
        }
        REQUIRE(joined == whole);
        const auto messages = [](const Schedule& schedule, const StageCounts& counts) {
            std::vector<std::int64_t> sent;
            for (const CutTraffic& cut : cut_traffic(schedule, unit_costs(counts)))
                sent.push_back(cut.messages);
            return sent;
        };
        REQUIRE(messages(split, stages) == messages(whole, shape.stage_counts()));
    });
}
