#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/simulator.hpp"
#include "schedule/split_tables.hpp"

#include <random>
#include <set>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

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

}  // namespace

TEST_CASE("weights are gathered while those before are read, by hand") {
    CHECK(to_string(with_gathers(three_stages(1))) ==
          "schedule 1f1b\n"
          "C0.gather C1.gather C0.train.F0 C0.release C2.gather C1.train.F0 "
          "C2.train.F0 C2.train.BW0 C2.release C0.gather C1.train.BW0 C1.release "
          "C0.train.BW0 C0.release C.reduce C.step\n");
    // D's are old at its update, and G's come after D's new ones. W reads none.
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
