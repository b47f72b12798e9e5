#include "civitas/planner/step_plan.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/bounds.hpp"
#include "planner/small_gan.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::planner;

TEST_CASE("a plan is the simulator's step with the memory of every rank") {
    Configuration c = small_gan("fp32");
    c.layout_options.weight_copies = WeightCopies::rank;
    const StepPlan plan = plan_of(c, {{Axis::data, 2}, {Axis::pipe, 2}});
    CHECK(plan.step.coordinates.size() == 2);
    CHECK(plan.memory.size() == 2);
    CHECK(plan.step.bubble() > 0);
    CHECK(plan.peak_bytes() == std::max(plan.memory[0].sum(), plan.memory[1].sum()));
    std::int64_t weights = 0;
    for (const RankMemory& rank : plan.memory) weights += rank.nets.parameters;
    const auto nets = c.problem.nets;
    CHECK(weights >= 4 * (net::parameter_count(nets[schedule::gan::generator]) +
                          net::parameter_count(nets[schedule::gan::discriminator])));
    for (const auto bytes : plan.reduced_bytes) CHECK(bytes > 0);
    CHECK(plan_of(c, {{Axis::data, 1}, {Axis::pipe, 2}}).reduced_bytes ==
          std::vector<std::int64_t>{0, 0});
    Configuration dropped = c;
    dropped.layout_options.redraw = true;
    CHECK(plan_of(dropped, {{Axis::pipe, 2}}).peak_bytes() <
          plan_of(c, {{Axis::pipe, 2}}).peak_bytes());
}

TEST_CASE("without messages and with one coordinate nothing is idle") {
    const Configuration c = small_gan("bf16");
    const StepPlan plan = plan_of(c, {});
    CHECK(plan.step.bubble() == Approx(0).margin(1e-12));
    CHECK(plan.cuts.empty());
    double sum = 0;
    const LayerTimings timings = estimated_timings(workload_of(c.problem, {}), {}, 1);
    for (const LayerTimes& times : timings.nets.front()) sum += times.forward_s;
    CHECK(sum == Approx(plan.costs.nets.front().front().forward_s));
}

TEST_CASE("sums between nodes hide behind W; within a node, and in MPI's own order, they do not") {
    Configuration c = small_gan("fp32");
    c.layout_options.weight_copies = WeightCopies::rank;
    MachineModel machine;
    const auto seconds = [&](int nodes, Reduction reduction, double slower) {
        machine.nodes = nodes;
        machine.network_bandwidth = machine.link_bandwidth = 1e9 / slower;
        machine.network_latency = machine.link_latency = 1e-6 * slower;
        c.layout_options.reduction = reduction;
        const CostModel model(workload_of(c.problem, c.hyperparameters), machine, 2);
        return make_plan(model, c.layout_options, {{Axis::data, 2}}).seconds_of_step();
    };
    const auto added = [&](int nodes, Reduction reduction) {
        return seconds(nodes, reduction, 1) - seconds(nodes, reduction, 1e-9);
    };
    CHECK(added(1, Reduction::tree) == Approx(added(1, Reduction::fast)));
    CHECK(added(2, Reduction::fast) == Approx(added(1, Reduction::fast)));
    // D sums two passes and G one, and both hand out their weights, which nothing hides.
    CHECK(added(2, Reduction::tree) > 0.4 * added(2, Reduction::fast));
    CHECK(added(2, Reduction::tree) < 0.7 * added(2, Reduction::fast));
    for (const ShardLevel level : {ShardLevel::gradients, ShardLevel::parameters}) {
        c.layout_options.shard = level;
        CHECK(added(2, Reduction::tree) < 0.4 * added(1, Reduction::tree));
    }
}

TEST_CASE("placement auto takes the shorter step of both") {
    int reversed = 0;
    int same = 0;
    for (const char* schedule : {"naive", "gpipe", "1f1b", "zero-bubble", "gan"}) {
        Configuration c = small_gan("fp32");
        c.layout_options.schedule = schedule_named(schedule);
        const auto seconds = [&](const char* placement) {
            c.layout_options.placement = parse_stage_order(placement);
            return plan_of(c, {{Axis::pipe, 2}}).seconds_of_step();
        };
        const double shortest = std::min(seconds("same"), seconds("reversed"));
        CHECK(seconds("auto") == shortest);
        (plan_of(c, {{Axis::pipe, 2}}).layout.has_reversed() ? reversed : same) += 1;
    }
    CHECK(reversed > 0);
    CHECK(same > 0);
}

TEST_CASE("memory comes before time: where a cut or a placement fits, it is taken") {
    Configuration c = small_gan("fp32");
    c.layout_options.schedule = schedule_named("1f1b");
    const MeshShape mesh{{Axis::pipe, 2}};
    const auto planned = [&](MachineModel machine) {
        const CostModel model(workload_of(c.problem, c.hyperparameters), machine, mesh.size());
        return make_plan(model, c.layout_options, mesh);
    };
    const StepPlan fastest = planned({});
    std::int64_t bytes = fastest.peak_bytes();
    double seconds = fastest.seconds_of_step();
    int tighter = 0;
    for (;; ++tighter) {
        MachineModel machine;
        machine.memory = 2.0 * static_cast<double>(bytes - 1);  // of two ranks
        const StepPlan plan = planned(machine);
        if (plan.peak_bytes() >= bytes) break;  // nothing smaller is met
        CHECK(plan.seconds_of_step() >= seconds);
        bytes = plan.peak_bytes();
    }
    CHECK(tighter > 0);
}

TEST_CASE("measured times recut the stages, and ranks of a node share it") {
    const Configuration c = small_gan("fp32");
    LayerTimings timings = estimated_timings(workload_of(c.problem, {}), {}, 2);
    for (auto& layer : timings.nets.front()) layer = {.forward_s = 0.001};
    timings.nets.front().front().forward_s = 1;
    const StepPlan plan = make_plan(
        {workload_of(c.problem, c.hyperparameters), MachineModel{}, NodeMap::filled(2, 2), timings},
        c.layout_options, {{Axis::pipe, 2}});
    CHECK(plan.layout.stages.front()[0].count < 4);
    MachineModel machine;
    CHECK(rates_of(machine, 4, net::Precision::fp32).flops == Approx(2 * machine.fp32_flops));
    CHECK(memory_of_rank(machine, 4) == Approx(machine.memory / 4));
    machine.nodes = 2;
    CHECK(memory_of_rank(machine, 4) == Approx(machine.memory / 2));
    machine.gpus = 1;
    CHECK(rates_of(machine, 4, net::Precision::bf16).flops == Approx(machine.bf16_flops / 2));
    CHECK(memory_of_rank(machine, 2) == Approx(machine.gpu_memory));
}

TEST_CASE("a part of a node computes as its ranks do, also where they are more than its cores") {
    const MachineModel machine;  // of 8 cores
    for (const int ranks : {1, 4, 8, 16, 20})
        CHECK(rates_of(part_of_node(machine, ranks), 1, net::Precision::fp32).flops ==
              Approx(rates_of(machine, ranks, net::Precision::fp32).flops));
    // Threads are whole.
    CHECK(rates_of(part_of_node(machine, 3), 1, net::Precision::fp32).flops ==
          Approx(2 * machine.fp32_flops));
}

TEST_CASE("replicas of a rank share its micro-batches, cores and memory") {
    Configuration c = small_gan("fp32");
    c.problem.batch = 16 * 4;
    c.problem.micro_batch = 16;
    const Workload workload = workload_of(c.problem, c.hyperparameters);
    const auto plan_with = [&](int replicas, const MachineModel& machine = {}) {
        c.layout_options.replicas = replicas;
        return make_plan({workload, machine, 2, replicas}, c.layout_options, {{Axis::data, 2}});
    };
    const StepPlan one = plan_with(1), two = plan_with(2);
    CHECK(one.layout.schedule.coordinates[0].size() > two.layout.schedule.coordinates[0].size());
    CHECK(two.memory[0].nets.parameters == one.memory[0].nets.parameters);
    CHECK(two.memory[0].scratch == 2 * one.memory[0].scratch);
    CHECK(two.costs.of(schedule::NetId{0}, first_stage).forward_s ==
          Approx(2 * one.costs.of(schedule::NetId{0}, first_stage).forward_s));
    CHECK(two.costs.of(schedule::NetId{0}, first_stage).step_s ==
          Approx(one.costs.of(schedule::NetId{0}, first_stage).step_s));
    CHECK(two.seconds_of_step() == Approx(one.seconds_of_step()).epsilon(0.1));
    CHECK_FALSE(two.layout.sums_behind);

    // Of the GPUs of a node each takes one, or they share it.
    MachineModel four, one_gpu;
    four.gpus = 4;
    one_gpu.gpus = 1;
    const RankMemory apart = plan_with(2, four).memory[0], alone = plan_with(1, four).memory[0];
    const RankMemory together = plan_with(2, one_gpu).memory[0];
    CHECK(apart.scratch == alone.scratch);
    CHECK(together.nets.gradients == 2 * apart.nets.gradients);
    CHECK(together.scratch == 2 * alone.scratch);
    CHECK(together.activations == 2 * apart.activations);
}

TEST_CASE("replicas are refused where a rank cannot have several, with the reason") {
    Configuration c = small_gan("fp32");
    c.problem.batch = 12;
    c.problem.micro_batch = 2;
    const auto refused = [&](const Configuration& asked, MeshShape mesh = {}) {
        try {
            check_replicas(workload_of(asked.problem, {}), asked.layout_options, mesh);
        } catch (const UsageError& e) {
            return std::string(e.what());
        }
        return std::string("not refused");
    };
    c.layout_options.replicas = 4;
    CHECK(refused(c) ==
          "--replicas 4: a rank has 6 micro-batches of 2, which cannot be shared out equally. "
          "Hint: --batch 16, or a smaller --micro-batch.");
    CHECK_THAT(refused(c, {{Axis::data, 2}}),
               Catch::Contains("a rank has 3 micro-batches") && Catch::Contains("--batch 16"));
    c.layout_options.replicas = 2;
    CHECK(refused(c) == "not refused");
    CHECK_THAT(refused(c, {{Axis::pipe, 2}}), Catch::Contains("pipe=2,tensor=1 divides them"));
    CHECK_THAT(refused(c, {{Axis::tensor, 2}}), Catch::Contains("tensor=2 divides them"));
    Configuration other = c;
    other.layout_options.shard = ShardLevel::gradients;
    CHECK_THAT(refused(other), Catch::Contains("--shard gradients sums every leaf"));
    other = c;
    other.problem.sync_batch_norm = true;
    CHECK_THAT(refused(other), Catch::Contains("--sync-batch-norm makes ranks wait"));
    other = c;
    other.layout_options.stage_devices = {DeviceKind::cpu};
    CHECK_THAT(refused(other), Catch::Contains("--stage-devices are for stages"));
    c.layout_options.replicas = 1;
    CHECK(refused(c, {{Axis::pipe, 2}}) == "not refused");
}

TEST_CASE("sizes beyond any memory are refused, and no number wraps") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const Nets noisy({.net = "dcgan-64", .nz = most});
    CHECK_THROWS_WITH(
        net::parameter_count(noisy[schedule::gan::generator]),
        Catch::Contains(text(".weight would have ", most)) && Catch::Contains("a smaller --nz"));
    const Nets wide({.net = "dcgan-64", .generator_widths = {1 << 30, 1 << 30, 8, 8}});
    CHECK_THROWS_WITH(net::parameter_count(wide[schedule::gan::generator]),
                      Catch::Contains("1073741824 x 1073741824 x 4 x 4 elements"));
    Configuration c = small_gan("fp32");
    c.problem.batch = most;
    c.problem.micro_batch = 16;
    CHECK_THROWS_WITH(check_batch(workload_of(c.problem, {}), {}),
                      Catch::Contains("Hint: --batch ") &&
                          Catch::Contains(text("Hint: --batch ", most / 16 * 16)));
}
