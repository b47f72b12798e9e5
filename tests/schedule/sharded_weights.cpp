#include "civitas/schedule/sharded_weights.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/tables.hpp"

#include <numeric>
#include <random>
#include <set>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

namespace {

/// Calls with (name, shape) for the tables of every name on 1, 2 and 4 coordinates, of both graphs.
template <class Visit>
void for_some_tables(const Visit& visit) {
    for (const auto& name : schedule_names)
        for (const int p : {1, 2, 4})
            for (int bits = 0; bits < 8; ++bits) {
                ScheduleShape shape = shape_of(name, p, 4);
                shape.redraw = (bits & 1) != 0;
                shape.recompute = (bits & 2) != 0;
                shape.reversed = (bits & 4) != 0;
                visit(name, shape);
                shape.graph = classifier();
                if (bits % 4 == 2) visit(name, shape);
            }
}

/// One to three of each stage.
StageParts uneven_parts(const ScheduleShape& shape) {
    StageParts parts;
    for (const NetId net : shape.graph.net_ids()) {
        auto& of_net = parts.emplace_back();
        for (int stage = 0; stage < shape.stages(); ++stage)
            of_net.push_back(1 + (2 * index(net) + stage) % 3);
    }
    return parts;
}

StageCounts counts_of(const StageParts& parts) {
    StageCounts counts;
    for (const auto& of_net : parts)
        counts.nets.push_back(std::accumulate(of_net.begin(), of_net.end(), 0));
    return counts;
}

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

std::vector<Action> without_gathers(std::vector<Action> actions) {
    std::erase_if(actions, [](const Action& a) { return of_weights(a.kind); });
    return actions;
}

using Weights = std::pair<NetId, StageId>;

/// What the list from `at` on reads after the weights of that action, unless their net is updated
/// before.
std::optional<Weights> read_next(const std::vector<Action>& actions, std::size_t at) {
    const Weights now(actions[at].net, actions[at].stage);
    std::set<NetId> updated;
    for (std::size_t i = at + 1; i < actions.size(); ++i) {
        const Action& a = actions[i];
        if (a.kind == Kind::step) updated.insert(a.net);
        if (!reads_weights(a.kind)) continue;
        if (Weights(a.net, a.stage) == now && !updated.contains(a.net)) continue;
        return updated.contains(a.net) ? std::nullopt : std::optional(Weights(a.net, a.stage));
    }
    return std::nullopt;
}

/// Every action that reads weights finds its own and those read next, and no others.
void require_gathered(const std::vector<Action>& actions) {
    std::set<Weights> here, unused;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const Action& a = actions[i];
        const Weights weights(a.net, a.stage);
        if (a.kind == Kind::gather)
            REQUIRE((here.insert(weights).second && unused.insert(weights).second));
        if (a.kind == Kind::release)
            REQUIRE((here.erase(weights) == 1 && !unused.contains(weights)));
        if (a.kind == Kind::step)
            for (const Weights& kept : here) REQUIRE(kept.first != a.net);
        REQUIRE(here.size() <= 2);
        if (!reads_weights(a.kind)) continue;
        std::set<Weights> wanted{weights};
        if (const auto next = read_next(actions, i)) wanted.insert(*next);
        REQUIRE(here == wanted);
        unused.erase(weights);
    }
    REQUIRE(here.empty());
}

/// The step of a net of three stages on one coordinate.
Schedule three_stages(std::int64_t micro_batches) {
    return split_stages(
        make_schedule("1f1b", {.graph = classifier(), .micro_batches = micro_batches}), {{3}});
}

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

TEST_CASE("weights are gathered while those before are read, by hand") {
    CHECK(to_string(with_gathers(three_stages(1))) ==
          "schedule 1f1b\n"
          "C0.gather C1.gather C0.train.F0 C0.release C2.gather C1.train.F0 "
          "C2.train.F0 C2.train.BW0 C2.release C0.gather C1.train.BW0 C1.release "
          "C0.train.BW0 C0.release C.reduce C.step\n");
    // G's are the same before D's update as after it, D's are not. W reads none.
    CHECK(to_string(with_gathers(apart(make_schedule("1f1b", {.graph = gan::graph()})))) ==
          "schedule 1f1b\n"
          "D0.gather G0.gather D0.real.F0 D0.real.B0 D0.real.W0 G0.generate.F0 G0.release "
          "D0.fake.F0 D0.fake.B0 D0.release D0.fake.W0 D.reduce D.step "
          "D0.gather G0.gather D0.generate.F0 D0.generate.B0 D0.release "
          "G0.generate.B0 G0.release G0.generate.W0 G.reduce G.step\n");
    CHECK_THROWS_AS(with_gathers(with_gathers(three_stages(1))), Error);
}

TEST_CASE("tables with gathers pass the check, and gather what is read now and next") {
    for_some_tables([](const std::string& name, const ScheduleShape& shape) {
        const StageParts parts = uneven_parts(shape);
        const StageCounts stages = counts_of(parts);
        const Schedule plain = split_stages(make_schedule(name, shape), parts);
        const Schedule table = with_gathers(plain);
        INFO(to_string(table));
        REQUIRE_NOTHROW(check_schedule(table, stages, shape.micro_batches));
        REQUIRE(parse_schedule(shape.graph, to_string(table)) == table);
        const Costs costs = unit_costs(stages);
        REQUIRE(makespan(table, costs) == makespan(plain, costs));
        for (const PipeCoordinate c : each<PipeCoordinate>(shape.coordinates)) {
            REQUIRE(without_gathers(table[c]) == plain[c]);
            require_gathered(table[c]);
        }
    });
}

TEST_CASE("gathers of random lists") {
    std::mt19937 source(7);
    const auto below = [&](unsigned end) { return static_cast<int>(source() % end); };
    for (int round = 0; round < 300; ++round) {
        Schedule schedule{"random", gan::graph(), {{}}};
        for (int i = below(40); i > 0; --i) {
            Action a{.net = NetId{below(2)}, .kind = Kind{below(8)}};
            if (a.kind >= Kind::gather) a.kind = below(2) == 0 ? Kind::reduce : Kind::step;
            if (!of_whole_net(a.kind)) a.stage = StageId{below(3)};
            schedule.coordinates[0].push_back(a);
        }
        const Schedule table = with_gathers(schedule);
        INFO(to_string(table));
        REQUIRE(without_gathers(table.coordinates[0]) == schedule.coordinates[0]);
        require_gathered(table.coordinates[0]);
    }
}

TEST_CASE("the check names what is wrong with gathers") {
    const auto refused = [](const Schedule& schedule, const std::string& message) {
        INFO(to_string(schedule));
        const ScheduleShape shape{.graph = gan::graph()};
        CHECK_THROWS_WITH(check_schedule(schedule, shape), Contains(message));
        CHECK_THROWS_AS(check_schedule(schedule, shape), UsageError);
    };
    const Schedule good = with_gathers(make_schedule("1f1b", {.graph = gan::graph()}));
    refused(without(good, "G0.gather"), "action 3: G0.generate.F0 cannot run: G0.gather must come");
    refused(moved(good, "G0.gather", "D0.fake.F0"), "G0.generate.F0 cannot run: G0.gather must");
    refused(repeated(good, "D0.gather"), "D0.gather cannot run: its weights are here already");
    refused(repeated(good, "D0.release"), "D0.release cannot run: D0.gather must come first");
    refused(without(good, "D0.release"), "D.step cannot run: D0.release must come first");
    refused(moved(good, "G0.release", "D0.real.F0"), "G0.generate.F0 cannot run: G0.gather must");
    Schedule left = good;
    left.coordinates[0].push_back({.net = gan::generator, .kind = Kind::gather});
    refused(left, "schedule 1f1b: G0.release is missing");
    left.coordinates[0].back().stage = StageId{1};
    refused(left, "G1.gather cannot run: G has 1 stage");
    left.coordinates.push_back({{.net = gan::generator, .kind = Kind::release}});
    left.coordinates[0].pop_back();
    refused(left, "G0.release cannot run: its stage has other actions on coordinate 0");
    const Schedule nowhere = parse_schedule(gan::graph(), "schedule x\nD0.gather");
    refused(nowhere, "D0.gather cannot run: its stage has no other actions");
}

TEST_CASE("gathers take the time of the link, not the coordinate's") {
    const Schedule table = with_gathers(three_stages(1));
    CHECK(makespan(table, gather_costs(0)) == 9);
    // All but the first, and the one of stage 0 for its B, which begins with B of stage 1.
    CHECK(makespan(table, gather_costs(1)) == 1 + 9);
    // F and BW of stage 2 read what was gathered last; BW of stage 0 too.
    const auto run = simulate(table, gather_costs(10));
    CHECK(run.makespan_s == 4 * 10 + 3 + 2);
    CHECK(makespan(table, gather_costs(10)) == run.makespan_s);
    CHECK(run.coordinates[0].busy_s == 9);
    std::vector<std::pair<double, double>> gathers;
    for (const Span& span : run.spans)
        if (span.action.kind == Kind::gather) gathers.emplace_back(span.begin_s, span.end_s);
    const std::vector<std::pair<double, double>> expected{{0, 10}, {10, 20}, {20, 30}, {33, 43}};
    CHECK(gathers == expected);
    CHECK(gather_traffic(table, PipeCoordinate{0}, gather_costs(1)) ==
          GatherTraffic{.gathers = 4, .bytes = 1 + 2 + 4 + 1});
    CHECK(gather_traffic(three_stages(1), PipeCoordinate{0}, gather_costs(1)) == GatherTraffic{});
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
