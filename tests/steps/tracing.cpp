#include "steps/tracing.hpp"

#include "civitas/schedule/gan.hpp"
#include "support/temporary.hpp"
#include "support/tensor.hpp"
#include "train/start_report.hpp"

#include <nlohmann/json.hpp>

using namespace civitas;
using namespace civitas::steps;
using namespace civitas::train;
using parallel::Performed;
using schedule::Action;
using schedule::Kind;
using schedule::NetId;
using schedule::PassId;

namespace {

constexpr int two_stages = 2;

Action forward(NetId net, StageId stage, std::int64_t micro) {
    const schedule::PassId pass =
        net == schedule::gan::generator ? schedule::gan::generate : schedule::gan::real;
    return {net, stage, pass, Kind::F, LocalMicroBatch{micro}};
}
Action of_kind(Action action, Kind kind) {
    action.kind = kind;
    return action;
}

schedule::StagePlacement in_order() {
    schedule::StagePlacement placement(two_stages);
    for (const NetId net : {schedule::gan::generator, schedule::gan::discriminator})
        for (int i = 0; i < two_stages; ++i) placement.place(net, StageId{i}, PipeCoordinate{i});
    return placement;
}

}  // namespace

TEST_CASE("waiting and doing are spans of their own") {
    const std::vector<Performed> actions{
        {forward(schedule::gan::discriminator, StageId{1}, 0), 1.0, 0.5, 2.0}};
    const auto spans = spans_of(schedule::gan::graph(), 3, std::span<const Performed>(actions));
    REQUIRE(spans.size() == 2);
    CHECK(spans[0].category == "wait");
    CHECK(spans[0].end_s == 1.5);
    CHECK(spans[1].name == "D1.real.F0");
    CHECK(spans[1].category == "F");
    CHECK(spans[1].begin_s == 1.5);
    CHECK(spans[1].rank == 3);
}

TEST_CASE("exchanges and meetings are spans by name") {
    const std::vector<TalkSpan> talks{{Talk::tensor_exchange, 1.0, 1.5}, {Talk::meeting, 2.0, 2.5}};
    const auto spans = spans_of(3, std::span<const TalkSpan>(talks));
    REQUIRE(spans.size() == 2);
    CHECK(spans[0].name == "exchange along tensor");
    CHECK(spans[0].category == "exchange");
    CHECK(spans[0].rank == 3);
    CHECK(spans[0].begin_s == 1.0);
    CHECK(spans[0].end_s == 1.5);
    CHECK(spans[1].name == "wait until all ranks have met");
    CHECK(spans[1].category == "wait");
}

TEST_CASE("messages join what was made to where it was used, step after step") {
    std::vector<std::vector<Performed>> actions(two_stages);
    for (const double step : {0.0, 10.0}) {
        const Action first = forward(schedule::gan::discriminator, StageId{0}, 0);
        const Action last = forward(schedule::gan::discriminator, StageId{1}, 0);
        actions[0].push_back({first, step, 0, step + 1});
        actions[1].push_back({last, step, 2, step + 4});
        actions[1].push_back({of_kind(last, Kind::BW), step + 4, 0, step + 6});
        actions[0].push_back({of_kind(first, Kind::BW), step + 1, 5, step + 8});
    }
    const std::vector<int> ranks{4, 6};
    const std::vector<std::span<const Performed>> by_coordinate(actions.begin(), actions.end());
    const auto messages = messages_of(schedule::gan::graph(), by_coordinate, ranks, in_order(),
                                      {{two_stages, two_stages}});
    REQUIRE(messages.size() == 4);
    CHECK(messages[0].name == "D1.real.B0");
    CHECK(messages[0].from == 6);
    CHECK(messages[0].to == 4);
    CHECK(messages[1].left_s == 16);
    CHECK(messages[1].arrived_s == 16);
    CHECK(messages[3].name == "D0.real.F0");
    CHECK(messages[3].left_s == 11);
    CHECK(messages[3].arrived_s == 12);
}

TEST_CASE("the file is in the trace event format") {
    const test::TemporaryFolder folder("trace");
    const auto file = folder.path() / "trace.json";
    report::TraceFile trace(file, io::Replace::no);
    trace.name(0, "rank 0");
    trace.name(1, "rank 1");
    trace.add(report::TraceSpan{1, "D0.real.F0", "F", 0.5, 0.75});
    trace.add(report::TraceMessage{"m", 0, 1, 0.25, 0.5});
    trace.commit();
    const auto json = nlohmann::json::parse(test::content(file));
    const auto& events = json.at("traceEvents");
    REQUIRE(events.size() == 5);
    CHECK(events[1].at("args").at("name") == "rank 1");
    CHECK(events[2].at("ph") == "X");
    CHECK(events[2].at("ts") == 5e5);
    CHECK(events[2].at("dur") == 2.5e5);
    CHECK(events[3].at("ph") == "s");
    CHECK(events[4].at("ph") == "f");
    CHECK(events[3].at("id") == events[4].at("id"));
    CHECK(events[4].at("pid") == 1);
}

TEST_CASE("a layout is told by its groups and stages") {
    const planner::Nets nets({.net = "dcgan-64"});
    planner::ExecutionLayout layout;
    layout.schedule.graph = schedule::gan::graph();
    layout.mesh = {{Axis::data, 2}, {Axis::pipe, 2}};
    layout.placement = in_order();
    layout.schedule.name = "1f1b";
    layout.stages = {{{0, 3}, {3, 11}}, {{0, 5}, {5, 7}}};
    const auto lines = layout_lines(layout, {}, nets);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "data groups: {0 2} {1 3}");
    CHECK(lines[1] == "pipe groups: {0 1} {2 3}");
    CHECK(lines[2] == "schedule 1f1b, D's stages in G's order");
    CHECK(lines[3].starts_with("pipe 0: G stage 0: deconv0 ... relu0 (0.82 M); D stage 0: conv0"));
    CHECK(layout_lines({}, {}, nets).empty());
}
