#include "civitas/strategy/fitting.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/strategy/way_out.hpp"

#include "strategy/small.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;
using namespace civitas::strategy;
using civitas::test::small;

namespace {

Fitted fitted(const Configuration& c, double memory, int pipe = 1) {
    MachineModel machine;
    machine.memory = memory;
    const CostModel model(workload_of(c.problem, c.hyperparameters), machine, pipe);
    return fitted_plan(model, c.layout_options, {{Axis::pipe, pipe}});
}

constexpr double plenty = 1e12;

}  // namespace

TEST_CASE("what fits stays as it is asked for") {
    const auto all = fitted(small(), plenty);
    CHECK(all.told.empty());
    CHECK(all.lacks.empty());
    CHECK_FALSE((all.options.redraw || all.options.recompute));
}

TEST_CASE("with a little too little memory a run draws again by itself, and says so") {
    const auto all = fitted(small(), plenty);
    const auto saving = fitted(small(), static_cast<double>(all.plan.peak_bytes()) - 1);
    CHECK(saving.lacks.empty());
    CHECK((saving.options.redraw || saving.options.recompute));
    CHECK(saving.plan.peak_bytes() < all.plan.peak_bytes());
    INFO(saving.told);
    CHECK(saving.told.find("a rank needs ") == 0);
    CHECK(saving.told.find("saved activations ") != std::string::npos);
    CHECK(saving.told.find(": takes --re") != std::string::npos);
}

TEST_CASE("what the user asks for is kept: more may be dropped, not less") {
    Configuration c = small();
    c.layout_options.recompute = true;
    const auto asked = fitted(c, plenty, 2);
    CHECK(asked.told.empty());
    CHECK(asked.options.recompute);
    const auto saving = fitted(c, 2 * (static_cast<double>(asked.plan.peak_bytes()) - 1), 2);
    CHECK(saving.options.recompute);
}

TEST_CASE("what cannot fit is refused with the arithmetic and options that do") {
    Configuration c = small();
    c.layout_options.weight_copies = WeightCopies::rank;
    const auto whole = fitted(c, plenty, 2);
    const auto told = [&](double memory) {
        MachineModel machine;
        machine.memory = memory;
        const CostModel model(workload_of(c.problem, c.hyperparameters), machine, 2);
        const auto none = fitted_plan(model, c.layout_options, {{Axis::data, 2}});
        CHECK_FALSE(none.lacks.empty());
        return text(none.lacks, ". Hint: ", way_out(model, c.layout_options).words);
    };
    INFO(told(2e6));
    CHECK(told(2e6).find("a rank needs ") == 0);
    CHECK(told(2e6).find("; it has 1.0 MB. Hint: more nodes or memory") != std::string::npos);
    const auto two_stages = static_cast<double>(whole.plan.peak_bytes());
    INFO(told(2 * two_stages));
    CHECK(told(2 * two_stages)
              .find(". Hint: --mesh data=2,pipe=1,tensor=1 --shard gradients --redraw") !=
          std::string::npos);
    Configuration named = c;
    named.layout_options.shard = ShardLevel::gradients;
    named.layout_options.redraw = true;
    MachineModel machine;
    machine.memory = 2 * two_stages;
    const CostModel model(workload_of(c.problem, c.hyperparameters), machine, 2);
    CHECK(fitted_plan(model, named.layout_options, {{Axis::data, 2}}).lacks.empty());
    named.problem.sync_batch_norm = true;
    const CostModel in_turn(workload_of(named.problem, c.hyperparameters), machine, 2);
    CHECK(way_out(in_turn, c.layout_options).words.find("--mesh data=1,") == 0);
}

TEST_CASE("where no mesh fits a disk is named, if that would do") {
    Configuration c = small();
    c.layout_options.redraw = c.layout_options.recompute = true;
    const auto needed = static_cast<double>(fitted(c, plenty).plan.peak_bytes());
    const auto named = [&](double memory, const LayoutOptions& options) {
        MachineModel machine;
        machine.memory = memory;
        return way_out(CostModel(workload_of(c.problem, c.hyperparameters), machine, 1), options)
            .words;
    };
    const std::string words = named(needed - 1e6, small().layout_options);
    CHECK(words == "--mesh data=1,pipe=1,tensor=1 --redraw --offload disk");
    LayoutOptions on_gpus = small().layout_options;
    on_gpus.device = DeviceKind::cuda;
    CHECK(named(needed - 1e6, on_gpus) == "--mesh data=1,pipe=1,tensor=1 --redraw --offload host");
    c.layout_options = {};
    c.layout_options.offload = Offload::disk;
    c.layout_options.redraw = true;
    CHECK(fitted(c, needed - 1e6).lacks.empty());
    CHECK(named(needed / 2, small().layout_options).find("more nodes or memory") == 0);
}

TEST_CASE("a hint looks at few tables, and keeps what it has found") {
    const auto looked = [](const Configuration& c, int ranks, double memory_of_rank) {
        MachineModel machine;
        machine.memory = ranks * memory_of_rank;
        const CostModel model(workload_of(c.problem, c.hyperparameters), machine, ranks);
        const WayOut found = way_out(model, c.layout_options);
        CHECK(found.visits <= most_visits_for_a_hint);
        return found;
    };
    Configuration c = small();
    c.layout_options.weight_copies = WeightCopies::rank;
    c.problem.batch = 512;
    c.problem.micro_batch = 16;
    const WayOut scarce = looked(c, 32, 220e6);
    CHECK(scarce.words ==
          "--mesh data=8,pipe=1,tensor=4 --shard parameters --redraw --weight-copies rank");
    CHECK(scarce.layouts < 30);
    CHECK(looked(c, 32, 1e9).layouts == 2);  // redraw and recompute would do, and neither does
    CHECK(looked(c, 32, 1e9).words == "--mesh data=32,pipe=1,tensor=1 --weight-copies rank");
    c.problem.nets = Nets({.net = "dcgan-256"});
    c.problem.batch = 1024;
    const WayOut none = looked(c, 64, 100e6);
    CHECK(none.words == "more nodes or memory, fewer ranks a node, or a smaller --micro-batch");
    CHECK(none.layouts < 60);
    c.problem.batch = 400'000;
    c.problem.micro_batch = 1;
    CHECK(looked(c, 1, 1e9).layouts == 0);
}

TEST_CASE(
    "a copy of checkpoints counts, a share of it on each replica, and is named when it is too "
    "much") {
    const Configuration c = small();
    Workload workload = workload_of(c.problem, c.hyperparameters);
    const auto staged = [&](MeshShape mesh, double memory) {
        MachineModel machine;
        machine.memory = memory;
        const CostModel model(workload, machine, mesh.size());
        return fitted_plan(model, c.layout_options, mesh);
    };
    CHECK(staged({}, plenty).plan.memory[0].staging == 0);
    workload.copies_checkpoints = true;
    const auto nets = c.problem.nets;
    const auto statistics_of = [](const net::NetDescription& net) {
        std::int64_t numbers = 0;
        for (const net::BufferSpec& buffer : net::buffers_of(net)) numbers += buffer.elements;
        return numbers;
    };
    const std::int64_t all = 4 * (4 * net::parameter_count(nets[schedule::gan::generator]) +
                                  2 * statistics_of(nets[schedule::gan::generator]) +
                                  3 * net::parameter_count(nets[schedule::gan::discriminator]) +
                                  statistics_of(nets[schedule::gan::discriminator]));
    CHECK(staged({}, plenty).plan.memory[0].staging == all);
    const auto half = staged({{Axis::data, 2}}, plenty).plan.memory[0].staging;
    CHECK(half >= all / 2);
    CHECK(half < all / 2 + all / 50);
    std::int64_t sum = 0;
    for (const RankMemory& rank : staged({{Axis::pipe, 2}}, plenty).plan.memory)
        sum += rank.staging;
    CHECK(sum == all);
    CHECK(staged({}, 1e8).lacks.find("copy for checkpoints ") != std::string::npos);
}

TEST_CASE("that checkpoints need no copy is named where a run fits without, and only there") {
    Configuration c = small();
    c.run_options.checkpoint_mode = CheckpointMode::async;
    const auto of_memory = [&](double memory) {
        MachineModel machine;
        machine.memory = memory;
        return CostModel(workload_of(c), machine, 1);
    };
    const auto named = [&](double memory) {
        return way_out(of_memory(memory), LayoutOptions{}).words;
    };
    LayoutOptions least;
    least.redraw = least.recompute = true;
    const auto peak = fitted_plan(of_memory(plenty), least, {}).plan.peak_bytes();
    const auto little = static_cast<double>(peak - 1);
    CHECK(named(little) ==
          "--mesh data=1,pipe=1,tensor=1 --redraw --offload disk, or "
          "--mesh data=1,pipe=1,tensor=1 --checkpoint-mode sync");
    CHECK(named(plenty) == "--mesh data=1,pipe=1,tensor=1");
    CHECK(named(1e8) == "more nodes or memory, fewer ranks a node, or a smaller --micro-batch");
    c.run_options.checkpoint_mode = CheckpointMode::sync;
    CHECK(fitted(c, little).told.empty());
}
