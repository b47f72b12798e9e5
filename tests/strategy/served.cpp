#include "civitas/strategy/served.hpp"

#include "civitas/base/error.hpp"
#include "civitas/strategy/asynchrony.hpp"

#include "strategy/small.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;
using namespace civitas::strategy;
using civitas::test::small;

namespace {

Configuration served(int ranks, int servers) {
    Configuration c = small();
    c.update = {.kind = UpdateKind::server, .max_staleness = 0, .servers = servers, .ranks = ranks};
    return c;
}

}  // namespace

TEST_CASE("ranks among servers are planned by what they do, as each plans itself") {
    const MachineModel machine;
    Configuration c = served(4, 2);
    c.run_options.checkpoint_mode = CheckpointMode::async;
    const ServedPlan plan = plan_served(c, machine);
    REQUIRE(plan.ranks.size() == 3);
    CHECK((plan.ranks[0].first == Rank{0} && plan.ranks[0].count == 1));
    CHECK((plan.ranks[1].first == Rank{1} && plan.ranks[1].count == 1));
    CHECK((plan.ranks[2].first == Rank{2} && plan.ranks[2].count == 2));
    CHECK(plan.job.parts == 2);
    CHECK(plan.room == machine.memory / 4);
    CHECK((plan.lacks.empty() && plan.told.empty()));
    CHECK(plan.step_s == Approx(plan.part_s));  // as many parts as workers
    CHECK(plan.tiles_per_second == static_cast<double>(c.problem.batch) / plan.step_s);
    for (const ServedRanks& ranks : plan.ranks) {
        c.update.rank = index(ranks.largest);
        if (c.update.rank > 0) c.run_options.checkpoint_mode = CheckpointMode::sync;
        const CostModel model(workload_of(c), part_of_node(machine, 4), 1);
        CHECK(ranks.memory.sum() == make_plan(model, c.layout_options, {}).peak_bytes());
    }
    CHECK((plan.ranks[0].sent.gradients == 0 && plan.ranks[0].sent.weights > 0));
    CHECK((plan.ranks[2].sent.gradients > 0 && plan.ranks[2].sent.weights == 0));
    CHECK(plan_served(served(3, 0), machine).ranks.size() == 2);
    CHECK(plan_served(served(1, 0), machine).ranks.size() == 1);
}

TEST_CASE("ranks that do the same are planned as the one of them that keeps most") {
    Configuration c = served(5, 0);
    const ServedPlan plan = plan_served(c, {});
    REQUIRE(plan.ranks.size() == 2);
    CHECK(plan.ranks[0].largest == Rank{0});
    const ServedRanks& others = plan.ranks[1];
    std::vector<std::int64_t> needed;
    ServedTraffic most;
    for (int rank = 1; rank < 5; ++rank) {
        c.update.rank = rank;
        const Workload workload = workload_of(c);
        const StepPlan own = make_plan(CostModel(workload, part_of_node({}, 5), 1), {}, {});
        needed.push_back(own.peak_bytes());
        ServedTraffic sent;
        for (const schedule::NetId net : workload.graph.net_ids())
            sent += traffic_of(*workload.served_model, workload.served_net(own.layout, net));
        most.gradients = std::max(most.gradients, sent.gradients);
        most.weights = std::max(most.weights, sent.weights);
    }
    REQUIRE(*std::max_element(needed.begin(), needed.end()) > needed.front());
    CHECK(others.memory.sum() == *std::max_element(needed.begin(), needed.end()));
    CHECK(others.sent.gradients == most.gradients);
    CHECK(others.sent.weights == most.weights);
}

TEST_CASE("ranks among servers in words") {
    const std::string words = to_text(plan_served(served(4, 1), {}));
    INFO(words);
    CHECK(
        words.starts_with("Weights on servers: 1 of 4 ranks serve, 3 work; gradients lack at "
                          "most 0 updates.\nA step has "));
    CHECK(words.find("A step has 4 parts of 2 micro-batches, each made in ") != std::string::npos);
    CHECK(words.find("\n  ranks 1 to 3 ") != std::string::npos);
    CHECK(words.find("  works\n") != std::string::npos);
}

TEST_CASE("workers that have nothing to do in any step are told of") {
    Configuration c = served(12, 0);  // 8 micro-batches
    const std::string words = to_text(plan_served(c, {}));
    CHECK_THAT(words, Catch::Contains(".\n4 workers are always idle: a step has 8 parts for 12, "
                                      "with --batch 48 it has one for each.\n\n"));
    c.update.max_staleness = 1;
    CHECK(plan_served(c, {}).idle.empty());
    CHECK(plan_served(served(8, 0), {}).idle.empty());
    CHECK(plan_served(served(4, 0), {}).idle.empty());
}

TEST_CASE("what is dropped so that ranks among servers fit is told with the rank") {
    MachineModel machine;
    const auto needed = plan_served(served(2, 0), machine).ranks[0].memory.sum();
    machine.memory = 2 * static_cast<double>(needed - 1'000'000);
    const ServedPlan plan = plan_served(served(2, 0), machine);
    CHECK(plan.lacks.empty());
    CHECK(plan.step_s >= plan_served(served(2, 0), {}).step_s);
    CHECK_THAT(plan.told, Catch::StartsWith("rank 0: ") && Catch::Contains("--redraw"));
    CHECK_THAT(to_text(plan), Catch::Contains("\n" + plan.told + "\n"));
}

TEST_CASE("what is too much for a rank among servers is told with the rank") {
    MachineModel machine;
    machine.memory = 4e6;
    CHECK(plan_served(served(4, 1), machine).lacks.starts_with("rank 0: a rank needs "));
}

TEST_CASE("ranks among servers are not planned for machines with GPUs") {
    MachineModel machine;
    machine.gpus = 1;
    CHECK_THROWS_WITH(
        plan_served(served(4, 1), machine),
        Catch::Contains("workers compute on CPUs. Hint: a machine file without gpus"));
}

TEST_CASE("options of a step that ranks make together are named with why they do not go") {
    CHECK(not_planned_by(UpdateKind::sync).options.empty());
    const auto has = [](UpdateKind kind, const std::string& name) {
        const auto names = not_planned_by(kind).options;
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    CHECK((has(UpdateKind::async, "machine") && !has(UpdateKind::server, "machine")));
    CHECK((has(UpdateKind::server, "shard") && !has(UpdateKind::async, "shard")));
}

TEST_CASE("updates of ranks are read, or refused with why") {
    const UpdateOptions sync = read_updates({}, 0);
    CHECK((sync.kind == UpdateKind::sync && sync.ranks == 1));
    const UpdateOptions read = read_updates({.update = "server", .servers = 1}, 4);
    CHECK((read.kind == UpdateKind::server && read.servers == 1 && read.ranks == 4));
    CHECK(read.max_staleness == 0);
    CHECK_FALSE(read_updates({.update = "async"}, 4).max_staleness);
    CHECK_THROWS_WITH(read_updates({.update = "server"}, 0), Catch::Contains("--ranks 4"));
    CHECK_THROWS_WITH(read_updates({.servers = 1}, 4), Catch::Contains("add --update server"));
    CHECK_THROWS_WITH(read_updates({.update = "server", .servers = -1}, 4),
                      Catch::Equals("--servers -1 is out of range. Hint: a whole number from 0 to "
                                    "1000000."));
    CHECK_THROWS_WITH(plan_served(served(2, 2), {}),
                      Catch::Contains("--servers 2 leaves no worker of 2 ranks"));
    Configuration any = served(2, 0);
    any.update.max_staleness.reset();
    CHECK_THROWS_WITH(plan_served(any, {}), Catch::Contains("steps that are not complete"));
}
