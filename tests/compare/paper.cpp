#include "civitas/compare/paper.hpp"

#include "civitas/planner/network.hpp"
#include "support/agree.hpp"

#include <algorithm>
#include <map>

using namespace civitas;
using namespace civitas::compare;

namespace {

planner::Configuration small() {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64", .generator_widths = {512, 256, 128, 64}});
    c.problem.batch = 32;
    c.problem.micro_batch = 8;
    return c;
}

Strategy strategy_named(int ranks, const std::string& name) {
    return named(consider(ranks, {{}, {4, 1}, {1, 4}, {3, 3}}), name).front().strategy;
}

OnPaper planned(int ranks, const std::string& name, const planner::MachineModel& machine = {},
                planner::Configuration c = small()) {
    const Strategy s = strategy_named(ranks, name);
    c = applied(s, c);
    return on_paper(s, c, estimate_of(s, c, {machine, planner::nodes_of(machine, ranks)}));
}

}  // namespace

TEST_CASE("strategies that fit are predicted as the planner plans their mesh") {
    const planner::Configuration c = small();
    const planner::CostModel two(planner::workload_of(c), planner::MachineModel{}, 2);
    planner::LayoutOptions options;
    options.schedule = planner::schedule_named("gpipe");
    const auto plan =
        planner::make_plan(two, options, {{Axis::pipe, 2}}, planner::SearchBudget::compare);
    const auto gpipe = planned(2, "gpipe").predicted;
    REQUIRE(gpipe);
    CHECK(gpipe->seconds == plan.seconds_of_step());
    CHECK(gpipe->tiles_per_second == 32 / plan.seconds_of_step());
    CHECK(gpipe->bytes == plan.peak_bytes());
    CHECK(gpipe->waiting == plan.step.bubble());
    CHECK(gpipe->cuts.size() == plan.cuts.size());
    CHECK(planned(2, "data").predicted->waiting == 0);
    CHECK(planned(2, "naive:4-1").predicted->cuts.front().bytes !=
          planned(2, "naive:1-4").predicted->cuts.front().bytes);
}

TEST_CASE("ranks that work by themselves have a part of a node each") {
    const planner::MachineModel machine;  // of 8 cores
    const auto one = planned(1, "one-process", machine).predicted;
    const auto population = planned(4, "population", machine).predicted;
    REQUIRE(population);
    CHECK(population->seconds > one->seconds);
    CHECK(population->tiles_per_second == Approx(4 * 32 / population->seconds));
    const auto async = planned(4, "async", machine).predicted;
    CHECK(async->tiles_per_second == Approx(32 / async->seconds));
    CHECK(async->tiles_per_second == Approx(population->tiles_per_second).epsilon(0.2));
    const Strategy models = strategy_named(4, "population");
    const auto model =
        estimate_of(models, applied(models, small()), {machine, planner::nodes_of(machine, 4)});
    CHECK(model.machine().cores == 2);
    CHECK(model.room() == machine.memory / 4);
}

TEST_CASE("servers are predicted by the parts of a step, and by what ranks send each other") {
    const planner::MachineModel machine;
    const auto data = planned(4, "data", machine).predicted;
    const auto server = planned(4, "server", machine).predicted;
    REQUIRE(server);
    CHECK(server->tiles_per_second == Approx(32 / server->seconds));
    CHECK(server->seconds > data->seconds);
    CHECK(server->seconds == Approx(data->seconds).epsilon(0.3));
    // Three workers make four parts, one of them two.
    CHECK(planned(3, "server", machine).predicted->seconds > 1.3 * server->seconds);
    planner::MachineModel apart = machine;
    apart.nodes = 4;
    apart.cores = 2;
    apart.memory /= 4;
    apart.memory_bandwidth /= 4;
    apart.network_bandwidth = 1e8;
    // Of G and D gradients once and twice, and weights once each, three quarters go to others.
    const Strategy s = strategy_named(4, "server");
    const planner::Workload workload = planner::workload_of(applied(s, small()));
    std::int64_t sent = 0;
    for (const schedule::NetId net : workload.graph.net_ids())
        sent += (1 + std::ssize(workload.graph.trained_by(net))) * 4 *
                net::parameter_count(workload[net].description) * 3 / 4;
    const double by_link_s = static_cast<double>(sent) / machine.link_bandwidth;
    const double by_network_s = static_cast<double>(sent) / apart.network_bandwidth;
    CHECK(planned(4, "server", apart).predicted->seconds - server->seconds ==
          Approx(by_network_s - by_link_s).epsilon(0.02));
    planner::MachineModel with_gpus;
    with_gpus.gpus = 4;
    CHECK(planned(4, "server", with_gpus).why_not ==
          "servers have weights in host memory, and workers compute on CPUs");
}

TEST_CASE("what does not fit has the planner's own reason") {
    CHECK(
        planned(3, "data").why_not ==
        "a batch of 32 tiles, 4 micro-batches of 8, cannot be shared by 3 ranks of the data axis");
    CHECK_THAT(planned(2, "naive:3-3").why_not,
               Catch::Contains("has 5 blocks for 2 stages, --stages names 2 stages with 6 blocks"));
    CHECK(planned(2, "offload:host").why_not ==
          "ranks that compute on CPUs have all in host memory anyway");
    planner::Configuration own_threads = small();
    own_threads.layout_options.threads = 1;
    CHECK_THAT(planned(2, "replicas", {}, own_threads).why_not, Catch::Contains("thread"));
    planner::MachineModel tiny;
    tiny.memory = 1e7;
    CHECK_THAT(planned(2, "gpipe", tiny).why_not, Catch::Contains("it has 5.0 MB"));
    CHECK(!planned(2, "gpipe", tiny).predicted);
    for (const auto& name : {"data", "tensor", "1f1b", "async"})
        CHECK(planned(2, name).why_not.find("Hint") == std::string::npos);
}

TEST_CASE("a message is a reason, and perhaps a hint") {
    const std::string message = Error("no such thing", Hint{"another. Or none"}).what();
    CHECK(without_hint(message) == "no such thing");
    CHECK(hint_of(message) == "another. Or none.");
    CHECK(hint_of("no such thing. Or so").empty());
}

TEST_CASE("one rank of a job of several nodes is on one node") {
    planner::MachineModel machine;
    machine.nodes = 4;
    const planner::Configuration c = small();
    const Strategy one = strategy_named(8, "one-process");
    const auto model = estimate_of(one, c, {machine, planner::nodes_of(machine, 8)});
    CHECK(model.machine().nodes == 1);
    CHECK(model.room() == machine.memory);
}
