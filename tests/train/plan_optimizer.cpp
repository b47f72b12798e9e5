#include "civitas/async/shared_net.hpp"
#include "civitas/net/saved_numbers.hpp"
#include "civitas/planner/step_plan.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/steps/held_bytes.hpp"
#include "support/agree.hpp"
#include "tasks/gan_runs.hpp"

// What the formulas say a rank keeps for SGD, with one moment or none, against what it has.

using namespace civitas;
using namespace civitas::steps;
using namespace civitas::train;
using namespace civitas::tasks::runs;

namespace {

planner::Configuration by_sgd(double momentum) {
    planner::Configuration c = small_run();
    c.hyperparameters.optimizer = OptimizerKind::sgd;
    c.hyperparameters.momentum = momentum;
    return c;
}

planner::RankMemory planned_for(const planner::Configuration& c, int ranks,
                                const planner::ExecutionLayout& layout) {
    const planner::CostModel model(planner::workload_of(c), {}, ranks);
    return planner::plan_of(model, layout).memory.at(0);
}

report::HeldBytes held(const tasks::Models& models) {
    report::HeldBytes of_both = held_by(models[schedule::gan::generator]);
    of_both += held_by(models[schedule::gan::discriminator]);
    return of_both;
}

}  // namespace

TEST_CASE("what ranks keep for SGD is by formula what they have, however it is divided") {
    const auto world = comm::Communicator::world();
    for (const double momentum : {0.9, 0.0})
        for (const ShardLevel shard : {ShardLevel::none, ShardLevel::gradients})
            for (const Offload offload : {Offload::none, Offload::disk}) {
                planner::Configuration c = by_sgd(momentum);
                c.layout_options.mesh = MeshRequest(text("data=", world.size()));
                c.layout_options.shard = shard;
                c.layout_options.offload = offload;
                c.layout_options.offload_folder = std::filesystem::temp_directory_path();
                const Ours ours(world, c);
                const planner::RankMemory memory = planned_for(c, world.size(), ours.layout);
                const auto most = [&](auto part) {
                    return world.max(held_by(ours.models[schedule::gan::generator]).*part) +
                           world.max(held_by(ours.models[schedule::gan::discriminator]).*part);
                };
                INFO("momentum " << momentum << ", " << to_string(shard) << ", "
                                 << to_string(offload));
                CHECK(memory.nets.moments == most(&report::HeldBytes::moments));
                CHECK(memory.nets.mean == most(&report::HeldBytes::mean));
                CHECK(memory.nets.parameters == most(&report::HeldBytes::parameters));
                CHECK(memory.nets.offloaded == most(&report::HeldBytes::offloaded));
                CHECK((memory.nets.moments > 0) == (momentum > 0 && offload == Offload::none));
                CHECK(memory.window <= memory.nets.offloaded);
            }
}

TEST_CASE("where SGD keeps nothing there is nothing to offload") {
    const auto world = comm::Communicator::world();
    planner::Configuration c = by_sgd(0);
    c.hyperparameters.ema = 0;
    c.layout_options.mesh = MeshRequest(text("data=", world.size()));
    c.layout_options.offload = Offload::disk;
    c.layout_options.offload_folder = std::filesystem::temp_directory_path();
    const auto ours = run_ours(world, c, 1);
    CHECK(planned_for(c, world.size(), ours->layout).nets.offloaded == 0);
    CHECK(ours->models[schedule::gan::generator].offloaded_bytes() == 0);
}

TEST_CASE("what ranks that do not wait share of SGD is by formula so much") {
    const auto world = comm::Communicator::world();
    const auto self = comm::Communicator::self();
    const auto memory = memory::shared_memory(world, at::kCPU);
    for (const double momentum : {0.9, 0.0})
        for (const AsyncMoments moments : {AsyncMoments::shared, AsyncMoments::own}) {
            planner::Configuration c = by_sgd(momentum);
            c.update = {.kind = UpdateKind::async, .moments = moments, .ranks = world.size()};
            const planner::ExecutionLayout layout = agreed(self, c);
            const comm::Mesh mesh(self, layout.mesh, comm::choose_backend(self, at::kCPU));
            async::SharedNet generator(*memory, moments), discriminator(*memory, moments);
            const tasks::Models models(c, layout, agreed_process(self, c, layout.mesh), mesh,
                                       {.shared = {&generator, &discriminator}});
            const planner::NetMemory nets = planned_for(c, 1, layout).nets;
            CHECK(nets.parameters == held(models).parameters);
            CHECK(nets.moments == held(models).moments);
            CHECK(nets.mean == held(models).mean);
        }
}

TEST_CASE("a checkpoint has as many numbers of SGD as by formula") {
    if (comm::Communicator::world().size() > 1) return;
    for (const double momentum : {0.9, 0.0}) {
        const planner::Configuration c = by_sgd(momentum);
        const Ours ours(comm::Communicator::self(), c);
        for (const auto& net : ours.models.all()) {
            std::int64_t numbers = 0;
            for (const auto& [name, array] : net->arrays()) {
                numbers += array.view.numel();
                CHECK((name.find("/optimizer/") == std::string::npos ||
                       name.ends_with("/momentum_buffer")));
            }
            const auto& all = net->local_stages().front().description;
            const bool mean = net == ours.models.all().front();
            CHECK(net::saved_numbers(all, net::ArenaDivision(all, 1), 1,
                                     {.has_mean = mean, .moments = momentum > 0 ? 1 : 0}) ==
                  numbers);
        }
    }
}
