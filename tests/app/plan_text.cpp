#include "app/plan_text.hpp"

#include "app/ranking_text.hpp"
#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/schedule/traffic.hpp"
#include "planner/small_gan.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::test;

TEST_CASE("the Gantt picture shows every action that takes time") {
    const planner::Configuration c = small_gan("fp32");
    const planner::StepPlan plan = plan_of(c, {{Axis::pipe, 2}});
    const auto gantt = app::gantt_of(plan, c.problem);
    std::size_t shown = 0;
    for (const auto& row : gantt.rows) shown += row.spans.size();
    std::size_t timed = 0;
    for (const auto& span : plan.step.spans) timed += span.end_s > span.begin_s ? 1 : 0;
    CHECK(shown == timed);
    CHECK(gantt.end_s() == plan.step.makespan_s);
    CHECK(gantt.title == "dcgan-64, schedule 1f1b, mesh data=1,pipe=2,tensor=1");
}

TEST_CASE("gathers of weights lie beside the work of their coordinate") {
    const planner::Configuration c = small_gan("fp32");
    planner::StepPlan plan = plan_of(c, {{Axis::pipe, 2}});
    plan.layout.schedule = schedule::with_gathers(plan.layout.schedule);
    for (auto& stages : plan.costs.nets)
        for (auto& stage : stages) stage.gather_s = stage.forward_s;
    plan.step = schedule::simulate(plan.layout.schedule, plan.costs);
    const auto gantt = app::gantt_of(plan, c.problem);
    for (const PipeCoordinate at : each<PipeCoordinate>(2)) {
        const auto& row = gantt.rows.at(static_cast<std::size_t>(at));
        const auto gathers = gather_traffic(plan.layout.schedule, at, plan.costs).gathers;
        CHECK((gathers > 0 && std::ssize(row.beside) == gathers));
        for (const auto& span : row.beside)
            CHECK(gantt.kinds[span.kind].name.substr(1) == " gather of weights");
        for (const auto& span : row.spans) CHECK(span.hover.find("gather") == std::string::npos);
    }
}

TEST_CASE("a ranking says what fits, and what a rank lacks where nothing does") {
    planner::Configuration c = small_gan("fp32");
    planner::MachineModel machine;
    const auto ranked = [&](int ranks) {
        const planner::CostModel model(planner::workload_of(c.problem, c.hyperparameters), machine,
                                       ranks);
        return app::to_text(
            planner::rank_meshes(model, c.layout_options, planner::ShardSearch::all), model);
    };
    CHECK(ranked(1).find("for 1 rank: one process") != std::string::npos);
    machine.memory = 1e6;
    CHECK(ranked(2).find("does not fit: a rank needs") != std::string::npos);
}

TEST_CASE("the command of an offer says all that is not the default") {
    planner::Candidate candidate;
    planner::Problem problem;
    planner::MachineModel machine;
    const auto command = [&] { return app::command_of(candidate, problem, machine); };
    CHECK(command() ==
          "mpirun -n 1 --bind-to none civitas train --tiles tiles.h5 --run run"
          " --mesh data=1,pipe=1,tensor=1");
    candidate.plan.layout.mesh = {{Axis::data, 2}, {Axis::pipe, 3}, {Axis::tensor, 4}};
    candidate.options.schedule = planner::schedule_named("gan");
    candidate.options.placement = planner::StageOrder::same;
    candidate.options.redraw = candidate.options.recompute = true;
    problem.nets = planner::Nets({.net = "dcgan-64",
                                  .nz = 8,
                                  .generator_widths = {16, 8, 8, 8},
                                  .discriminator_widths = {8, 8, 8, 16},
                                  .coding = Coding::grey});
    problem.batch = 64;
    problem.micro_batch = 4;
    problem.precision = net::Precision::bf16;
    machine.gpus = 1;
    CHECK(command() ==
          "mpirun -n 24 --bind-to none civitas train --tiles tiles.h5 --run run"
          " --mesh data=2,pipe=3,tensor=4 --schedule gan --placement same --redraw --recompute"
          " --net dcgan-64 --nz 8 --generator-widths 16,8,8,8 --discriminator-widths 8,8,8,16"
          " --coding grey --batch 64 --micro-batch 4 --precision bf16 --device cuda");
}
