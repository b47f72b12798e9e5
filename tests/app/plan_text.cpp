#include "app/plan_text.hpp"

#include "app/ranking_text.hpp"
#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/steps/gantt.hpp"
#include "civitas/strategy/reason.hpp"
#include "planner/small_gan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;
using namespace civitas::strategy;
using namespace civitas::test;

TEST_CASE("the Gantt picture shows every action that takes time") {
    const Configuration c = small_gan("fp32");
    const StepPlan plan = plan_of(c, {{Axis::pipe, 2}});
    const auto gantt = steps::gantt_of(plan, c.problem);
    std::size_t shown = 0;
    for (const auto& row : gantt.rows) shown += row.spans.size();
    std::size_t timed = 0;
    for (const auto& span : plan.step.spans) timed += span.end_s > span.begin_s ? 1 : 0;
    CHECK(shown == timed);
    CHECK(gantt.end_s() == plan.step.makespan_s);
    CHECK(gantt.title == "dcgan-64, schedule 1f1b, mesh data=1,pipe=2,tensor=1");
}

TEST_CASE("gathers of weights lie beside the work of their coordinate") {
    const Configuration c = small_gan("fp32");
    StepPlan plan = plan_of(c, {{Axis::pipe, 2}});
    plan.layout.schedule = schedule::with_gathers(plan.layout.schedule);
    for (auto& stages : plan.costs.nets)
        for (auto& stage : stages) stage.gather_s = stage.forward_s;
    plan.step = schedule::simulate(plan.layout.schedule, plan.costs);
    const auto gantt = steps::gantt_of(plan, c.problem);
    for (const PipeCoordinate at : each<PipeCoordinate>(2)) {
        const auto& row = gantt.rows.at(static_cast<std::size_t>(at));
        const auto gathers = std::ranges::count(plan.layout.schedule[at], schedule::Kind::gather,
                                                &schedule::Action::kind);
        CHECK((gathers > 0 && std::ssize(row.beside) == gathers));
        for (const auto& span : row.beside)
            CHECK(gantt.kinds[span.kind].name.substr(1) == " gather of weights");
        for (const auto& span : row.spans) CHECK(span.hover.find("gather") == std::string::npos);
    }
}

TEST_CASE("a ranking says what fits, and what a rank lacks where nothing does") {
    Configuration c = small_gan("fp32");
    MachineModel machine;
    const auto ranked = [&](int ranks) {
        const CostModel model(workload_of(c.problem, c.hyperparameters), machine, ranks);
        return app::to_text(rank_meshes(model, c.layout_options, ShardSearch::all), model);
    };
    CHECK(ranked(1).find("for 1 rank: one process") != std::string::npos);
    machine.memory = 1e6;
    CHECK(ranked(2).find("does not fit: a rank needs") != std::string::npos);
}

TEST_CASE("the command of an offer says all that is not the default") {
    Candidate candidate;
    Configuration c;
    Problem& problem = c.problem;
    MachineModel machine;
    const auto command = [&] { return app::command_of(candidate, c, machine); };
    const net::KernelOptions usual = net::parse_kernels("fast");
    problem.nets = Nets({.kernels = usual});
    CHECK(command() ==
          "mpirun -n 1 --bind-to none civitas train --tiles tiles.h5 --run run"
          " --mesh data=1,pipe=1,tensor=1");
    candidate.plan.layout.mesh = {{Axis::data, 2}, {Axis::pipe, 3}, {Axis::tensor, 4}};
    candidate.options.schedule = schedule_named("gan");
    candidate.options.placement = StageOrder::same;
    candidate.options.redraw = candidate.options.recompute = true;
    problem.nets = Nets({.net = "dcgan-256",
                         .nz = 8,
                         .generator_widths = {16, 8, 8, 8, 8, 8},
                         .discriminator_widths = {8, 8, 8, 8, 8, 16},
                         .coding = Coding::grey,
                         .kernels = net::parse_kernels("aten")});
    problem.batch = 64;
    problem.micro_batch = 2;
    problem.precision = net::Precision::bf16;
    c.run_options.checkpoint_mode = CheckpointMode::async;
    machine.gpus = 1;
    CHECK(command() ==
          "mpirun -n 24 --bind-to none civitas train --tiles tiles.h5 --run run"
          " --mesh data=2,pipe=3,tensor=4 --schedule gan --placement same --redraw --recompute"
          " --net dcgan-256 --nz 8 --generator-widths 16,8,8,8,8,8"
          " --discriminator-widths 8,8,8,8,8,16 --coding grey --batch 64 --micro-batch 2 "
          "--precision bf16 --kernels aten"
          " --checkpoint-mode async --device cuda");
    problem.micro_batch = 8;  // the net's own
    CHECK_THAT(command(), !Catch::Contains("--micro-batch"));
    problem.micro_batch = 4;
    CHECK_THAT(command(), Catch::Contains(" --micro-batch 4"));
    candidate = {};
    c = {};
    machine.gpus = 0;
    problem.nets =
        Nets({.task = TaskKind::classify, .net = "resnet-18", .classes = 10, .kernels = usual});
    c.hyperparameters.optimizer = OptimizerKind::adam;
    CHECK_THAT(command(), Catch::EndsWith(" --task classify --net resnet-18 --classes 10"
                                          " --optimizer adam"));
    problem.nets = Nets({.net = "dcgan-512", .condition = ConditionKind::cover, .kernels = usual});
    problem.micro_batch = 8;
    CHECK_THAT(command(), Catch::EndsWith(" --net dcgan-512 --condition cover"));
}

namespace {

Configuration small() {
    Configuration c;
    c.problem.nets = Nets({.net = "dcgan-64"});
    c.problem.batch = 32;
    c.problem.micro_batch = 2;
    return c;
}

CostModel model_of(const MachineModel& machine, int ranks) {
    const Configuration c = small();
    return {workload_of(c.problem, c.hyperparameters), machine, ranks};
}

/// Why the first mesh is, without shard levels to choose from.
std::string why(const MachineModel& machine, int ranks, int replicas = 1) {
    const CostModel model = model_of(machine, ranks);
    LayoutOptions options = small().layout_options;
    options.replicas = replicas;
    return explain(rank_meshes(model, options, ShardSearch::as_asked), model);
}

}  // namespace

TEST_CASE("why: a tie, and what memory does not allow") {
    Ranking tied;
    for (const auto& [tensor, seconds] : {std::pair{1, 1.04}, {2, 1.00}}) {
        Candidate& made = tied.candidates.emplace_back();
        made.plan.layout.mesh = {{Axis::data, 2 / tensor}, {Axis::tensor, tensor}};
        made.plan.step.makespan_s = seconds;
        made.plan.memory.resize(1);
        made.plan.step.coordinates.resize(1);
    }
    CHECK_THAT(explain(tied, model_of({}, 2)),
               Catch::Contains("A tie with data=1,pipe=1,tensor=2, planned 3.8 % shorter"));
    MachineModel machine;
    machine.cores = 4;
    const auto plan = [&](int ranks) {
        return make_plan(model_of(machine, ranks), {}, {{Axis::data, ranks}});
    };
    machine.memory = static_cast<double>(plan(1).peak_bytes()) - 1;
    CHECK_THAT(why(machine, 1), Catch::Contains("\nMemory: Without --re"));
    machine.memory = 4 * 250e6;
    CHECK_THAT(why(machine, 4),
               Catch::Contains("\nMemory: Replicas alone do not fit: a rank needs"));
}

TEST_CASE("a column of times has one unit, that of the longest") {
    Ranking ranking;
    for (const auto& [data, seconds] : {std::pair{2, 0.5}, {1, 2.5}}) {
        Candidate& made = ranking.candidates.emplace_back();
        made.plan.layout.mesh = {{Axis::data, data}, {Axis::tensor, 2 / data}};
        made.plan.step.makespan_s = seconds;
        made.plan.memory.resize(1);
        made.plan.step.coordinates.resize(1);
    }
    CHECK_THAT(app::to_text(ranking, model_of({}, 2)),
               Catch::Contains(" 0.5 s ") && Catch::Contains(" 2.5 s ") && !Catch::Contains(" ms"));
    const ShardOffer quick{.level = ShardLevel::none, .memory = {}, .seconds = 0.5};
    const ShardOffer slow{.level = ShardLevel::optimizer, .memory = {}, .seconds = 2.5};
    for (const std::string& words :
         {app::to_text({quick, slow}), app::offload_text({quick, slow}, 0.5)})
        CHECK_THAT(words, Catch::Contains(" 0.5 s ") && Catch::Contains(" 2.5 s "));
    CHECK_THAT(app::to_text({quick}), Catch::Contains(" 500 ms "));
}

TEST_CASE("why: the shard level without which a mesh does not fit") {
    MachineModel machine;
    const MeshShape replicas{{Axis::data, 4}};
    LayoutOptions options = small().layout_options;
    options.weight_copies = WeightCopies::rank;
    const StepPlan whole = make_plan(model_of(machine, 4), options, replicas);
    machine.memory = 4 * (static_cast<double>(whole.peak_bytes()) - 1);
    const CostModel model = model_of(machine, 4);
    Ranking ranking = rank_meshes(model, options, ShardSearch::all);
    std::erase_if(ranking.candidates, [&](const Candidate& candidate) {
        return !(candidate.plan.layout.mesh == replicas);
    });
    REQUIRE(ranking.candidates.size() == 1);
    CHECK_THAT(explain(ranking, model),
               Catch::Contains("Memory: Without --shard optimizer a rank needs"));
    CHECK(strategy_of(ranking.candidates.front()) ==
          "data parallel: 4 replicas of the nets, optimizer sharded");
}

TEST_CASE("why: for each kind of resources") {
    const auto begins = [](const std::string& words, const std::string& with) {
        INFO(words);
        CHECK(words.substr(0, with.size()) == with);
    };
    MachineModel machine;
    begins(why(machine, 2), "Only CPUs: 2 ranks share 8 cores.\nMemory: A rank needs ");
    machine.gpus = 1;
    begins(why(machine, 1), "One GPU: one rank has it.\n");
    CHECK(why(machine, 1).find("Time: all of a step computes.") != std::string::npos);
    begins(why(machine, 2), "One GPU: 2 ranks share 1: ranks beyond the GPUs add messages");
    machine.gpus = 4;
    begins(why(machine, 4), "Several GPUs: a rank on each.\n");
    begins(why(machine, 2), "Several GPUs: a rank on each, 2 are idle.\n");
    begins(why(machine, 1, 2), "Several GPUs: a replica on each, 2 are idle.\n");
    begins(why(machine, 4, 2), "Several GPUs: 8 replicas share 4: replicas beyond the GPUs");
    machine.nodes = 2;
    machine.gpus = 2;
    const std::string words = why(machine, 4);
    CHECK(words.find("Several nodes: Only messages along ") == 0);
    CHECK((words.find(" longer: it ") != std::string::npos ||
           words.find("\nA tie with ") != std::string::npos));
}

TEST_CASE("strategies have names") {
    const auto name = [](MeshShape mesh, const std::string& schedule, bool redraw) {
        Candidate candidate;
        candidate.plan.layout.mesh = mesh;
        candidate.options.schedule = schedule_named(schedule);
        candidate.options.redraw = redraw;
        return strategy_of(candidate);
    };
    CHECK(name({}, "1f1b", false) == "one process");
    CHECK(name({{Axis::data, 4}}, "1f1b", true) ==
          "data parallel: 4 replicas of the nets, G's tiles drawn again");
    CHECK(name({{Axis::pipe, 2}}, "naive", false) ==
          "naive model parallel: 2 stages, schedule naive");
    CHECK(name({{Axis::pipe, 3}}, "gan", false) == "a pipeline of 3 stages, schedule gan");
    CHECK(name({{Axis::tensor, 4}}, "1f1b", false) ==
          "tensor parallel, channels of every layer cut in 4");
    CHECK(name({{Axis::data, 2}, {Axis::pipe, 2}, {Axis::tensor, 2}}, "gan", false) ==
          "data-parallel pipelines: 2 copies of 2 stages, channels of every layer cut in 2, "
          "schedule gan");
    CHECK(name({{Axis::data, 2}, {Axis::pipe, 3}}, "1f1b", false) ==
          "data-parallel pipelines: 2 copies of 3 stages, schedule 1f1b");
}
