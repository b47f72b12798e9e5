// Seconds and bytes of gathers on paper.
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/split_tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

/// F, B and W take 1 s, gathers as long as is said; stages have 1, 2 and 4 bytes of weights.
Costs gather_costs(double seconds) {
    Costs costs = unit_costs({{3}});
    std::int64_t bytes = 1;
    for (StageCosts& stage : costs.nets[0]) {
        stage.gather_s = seconds;
        stage.gathered_bytes = std::exchange(bytes, 2 * bytes);
    }
    return costs;
}

/// Sizes and times of gathers that differ by stage, F, B and W of 1 s.
Costs mixed_costs(const StageCounts& stages) {
    Costs costs = unit_costs(stages);
    int number = 0;
    for (auto& of_net : costs.nets)
        for (StageCosts& stage : of_net) {
            number = (number + 5) % 7;
            stage.gather_s = number;
            stage.input_bytes = stage.output_bytes = 1;
            stage.gathered_bytes = 1 + std::int64_t{number} * number;
        }
    return costs;
}

/// Most bytes of weights that two actions read of which one follows the other.
std::int64_t largest_neighbours(const std::vector<Action>& actions, const Costs& costs) {
    std::int64_t most = 0;
    const Action* before = nullptr;
    for (const Action& a : actions) {
        if (!reads_weights(a.kind)) continue;
        const bool same = before == nullptr || (before->net == a.net && before->stage == a.stage);
        most = std::max(most, costs.of(a.net, a.stage).gathered_bytes +
                                  (same ? 0 : costs.of(before->net, before->stage).gathered_bytes));
        before = &a;
    }
    return most;
}

}  // namespace

TEST_CASE("gathers make a step no longer than if nothing hid them, and none are free") {
    for_some_tables([](const std::string& name, const ScheduleShape& shape) {
        const StageParts parts = uneven_parts(shape);
        const Schedule plain = split_stages(make_schedule(name, shape), parts);
        const Schedule table = with_gathers(plain);
        const Costs costs = mixed_costs(counts_of(parts));
        const auto step = simulate(table, costs);
        std::vector<double> gathering(step.coordinates.size());
        for (const Span& span : step.spans)
            if (span.action.kind == Kind::gather)
                gathering[static_cast<std::size_t>(span.coordinate)] += span.end_s - span.begin_s;
        INFO(to_string(table));
        REQUIRE(step.makespan_s >= *std::ranges::max_element(gathering));
        REQUIRE(step.makespan_s >= makespan(plain, costs));
        REQUIRE(step.makespan_s <=
                makespan(plain, costs) + std::accumulate(gathering.begin(), gathering.end(), 0.0));
        for (const PipeCoordinate c : each<PipeCoordinate>(shape.coordinates)) {
            const MemoryPeak peak = memory_peak(table, c, costs);
            REQUIRE(peak.bytes == memory_peak(plain, c, costs).bytes);
            REQUIRE(message_bytes(table, c, costs) == message_bytes(plain, c, costs));
            REQUIRE(peak.gathered_bytes > 0);
            REQUIRE(peak.gathered_bytes <= largest_neighbours(plain[c], costs));
        }
    });
}

TEST_CASE("gathers take the time of the link, not the coordinate's") {
    const Schedule table = with_gathers(three_stages(1));
    CHECK(makespan(table, gather_costs(0)) == 9);
    // All but the first come while others are read.
    CHECK(makespan(table, gather_costs(1)) == 1 + 9);
    // F and BW of stage 2 read what was gathered last, and so does BW of stage 0.
    const auto run = simulate(table, gather_costs(10));
    CHECK(run.makespan_s == 4 * 10 + 3 + 2);
    CHECK(makespan(table, gather_costs(10)) == run.makespan_s);
    CHECK(run.coordinates[0].busy_s == 9);
    std::vector<std::pair<double, double>> gathers;
    for (const Span& span : run.spans)
        if (span.action.kind == Kind::gather) gathers.emplace_back(span.begin_s, span.end_s);
    const std::vector<std::pair<double, double>> expected{{0, 10}, {10, 20}, {20, 30}, {33, 43}};
    CHECK(gathers == expected);
    CHECK(gather_traffic(table, PipeCoordinate{0}, gather_costs(1)) == 1 + 2 + 4 + 1);
    CHECK(gather_traffic(three_stages(1), PipeCoordinate{0}, gather_costs(1)) == 0);
}

TEST_CASE("gathered weights live from gather to release, two neighbours at most") {
    const auto peak = [](const Schedule& schedule) {
        return memory_peak(schedule, PipeCoordinate{0}, gather_costs(1));
    };
    const Schedule table = with_gathers(three_stages(2));
    CHECK(peak(table).gathered_bytes == 2 + 4);
    CHECK(peak(table).bytes == peak(three_stages(2)).bytes);
    CHECK(peak(three_stages(2)).gathered_bytes == 0);
    CHECK(peak(parse_schedule(classifier(), "schedule x\nC0.gather C2.gather C2.release C1.gather"))
              .gathered_bytes == 1 + 4);
}
