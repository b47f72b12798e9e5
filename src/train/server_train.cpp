#include "server_train.hpp"

#include "agreement.hpp"
#include "last_words.hpp"
#include "server_course.hpp"
#include "start_log.hpp"
#include "watch.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/profiling/checkpoint_size.hpp"

namespace civitas::train {
namespace {

/// What has no meaning where each rank makes parts of steps by itself.
void refuse_what_does_not_go(const comm::Communicator& world, const planner::Configuration& c) {
    const planner::LayoutOptions& o = c.layout_options;
    const auto refuse = [](bool given, const std::string& what, const std::string& hint) {
        if (given) throw UsageError("--update server: " + what, Hint{hint});
    };
    const MeshShape mesh = o.mesh.of_ranks(world.size());
    refuse(mesh[Axis::pipe] > 1 || mesh[Axis::tensor] > 1,
           text("a mesh of ", to_string(mesh), " divides nets among workers"),
           "--mesh with a data axis alone, or --update sync");
    refuse(c.update.servers < 0 || c.update.servers >= world.size(),
           text("--servers ", c.update.servers, " leaves no worker of ", world.size(), " ranks"),
           "fewer servers, or 0: all ranks serve and work");
    refuse(!c.update.max_staleness, "servers keep the gradients of steps that are not complete",
           "--max-staleness with a number of steps");
    refuse(o.replicas > 1, "workers make parts of steps as replicas do", "--replicas 1");
    refuse(o.shard != ShardLevel::none, "weights and moments are divided among servers anyway",
           "--shard none");
    refuse(o.offload != Offload::none, "weights and moments stay in memory", "--offload none");
    refuse(o.device != DeviceKind::cpu || !o.stage_devices.empty(),
           "weights travel by memory of the host", "--device cpu");
    refuse(c.problem.sync_batch_norm, "there is nobody to normalise with",
           "leave out --sync-batch-norm");
    refuse(!c.run_options.trace.empty(), "a trace shows what ranks do together",
           "leave out --trace");
    refuse(c.problem.kernels().automatic, "kernels that are chosen by times may differ",
           "--kernels aten or fast");
}

/// Each rank by itself, with its part of its node.
planner::Configuration alone(planner::Configuration c, const comm::Communicator& world,
                             const NodeMap& nodes) {
    c.layout_options.mesh = MeshRequest("");
    c.layout_options.share.part /= static_cast<double>(nodes.beside(world.rank()).size());
    if (!world.is_root()) c.run_options.checkpoint_mode = planner::CheckpointMode::sync;
    return c;
}

/// What a rank plans for: one part of a step.
planner::Configuration of_part(planner::Configuration c, int workers) {
    c.problem.batch = micro_batches_of_part(c.problem, workers) * c.problem.micro_batch;
    return c;
}

environment::Process process_of_rank(const comm::Communicator& world,
                                     const planner::Configuration& c, Log& log) {
    environment::Process process;
    process.stage_devices = {DeviceKind::cpu};
    process.device = at::kCPU;
    process.threads = environment::set_threads(world, c.layout_options.threads, log);
    process.instruction_set = environment::agreed_instruction_set(world);
    return process;
}

/// What is opened before models are made.
struct WhatIsOpened {
    planner::CostModel estimate;
    comm::Mesh mesh;
    std::optional<data::TileStore> store;  ///< none where it is open already
};

/// The root takes up a checkpoint, if there is one, and the servers get what it has.
void take_up(const comm::Communicator& world, ServerRanks& ranks, runs::RunState& state,
             const std::optional<std::filesystem::path>& from, const runs::RunFolder& folder,
             Log& log) {
    comm::agree(world, [&] {
        if (world.is_root()) state.resume(from, folder, log);
    });
    if (world.is_root()) {
        ranks.follow_updates(state);
        state.models().generator.publish();
        state.models().discriminator.publish();
    }
    const auto seen = state.samples_seen();
    const auto taken = world.broadcast(
        std::vector<std::int64_t>{state.steps_done(), index(seen.after), seen.count});
    state.go_to(taken[0], {StepIndex{taken[1]}, taken[2]});
}

Exit lead(runs::HeldRunFolder& held, const Run& run, runs::RunState& state, StopSignals& signals,
          ServerRanks& ranks) {
    Watch watch(run, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    ServerCourse course(ranks, run, state, watch.poster());
    try {
        report_start(run, state);
        const Exit end = trained(held, run, state, signals, course, watch.poster());
        course.end(end);
        return end;
    } catch (const AgreedError& e) {
        course.end_by_error(e.what());
        throw;
    }
}

Exit follow(const Run& run, runs::RunState& state, StopSignals& signals, ServerRanks& ranks) {
    Watch watch(run, [] {});
    ServerCourse course(ranks, run, state, watch.poster());
    StepRunner runner(run, state, watch.poster());
    (void)signals.requested();  // from here on they are obeyed between steps
    return course.follow(runner, [&] {
        return tasks::BetweenSteps{.wish = signals.requested() ? tasks::Wish::stop
                                                               : tasks::Wish::go_on};
    });
}

}  // namespace

Exit train_server(const comm::Communicator& world, const planner::Configuration& asked,
                  StopSignals& signals, Log& log, const data::TileStore* opened_store) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       asked.resolved);
    comm::agree(world, [&] { refuse_what_does_not_go(world, asked); });
    const NodeMap nodes = comm::node_map(world, asked.layout_options.node_size);
    const comm::Communicator self = comm::Communicator::self();
    const planner::Configuration c = alone(asked, world, nodes);
    const planner::Configuration part = of_part(c, world.size() - c.update.servers);
    const environment::Process process = process_of_rank(world, c, log);
    const WhatIsOpened opened = comm::agree(world, [&]() -> WhatIsOpened {
        const planner::CostModel estimate = agree_on_model(self, part);
        const planner::ExecutionLayout layout = agree_on_layout(self, part, estimate);
        profiling::require_checkpoint_fits(c.problem, c.hyperparameters);
        WhatIsOpened all{
            estimate, comm::Mesh(self, layout.mesh, comm::choose_backend(self, at::kCPU)), {}};
        if (opened_store == nullptr) all.store = data::TileStore::open(self, c.run_options.tiles);
        return all;
    });
    const data::TileStore& store = opened.store ? *opened.store : *opened_store;
    const bool root = world.is_root();
    runs::HeldRunFolder held = comm::agree(world, [&] {
        return root ? runs::hold_run_folder(self, c.run_options.run, log)
                    : runs::HeldRunFolder{{c.run_options.run}, nullptr};
    });
    const StopSignals::LastAct last_act(signals, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    comm::agree(world, [&] { log.open(held.folder.log(world.rank())); });
    std::optional<std::filesystem::path> from;
    const planner::StepPlan plan = comm::agree(world, [&] {
        if (root) from = runs::checkpoint_to_resume(self, c.run_options.resume, held.folder, log);
        return agree_on_plan(self, c.layout_options, opened.estimate, opened.mesh.shape(), log);
    });
    ServerRanks ranks(world, c, log);
    runs::RunState state(c, plan.layout, process, opened.mesh, store, nullptr, &ranks.generator,
                         &ranks.discriminator);
    const Run run{c,     process, opened.estimate, plan,       opened.mesh, held.folder,
                  store, log,     world,           ranks.parts};
    take_up(world, ranks, state, from, held.folder, log);
    return with_last_words(opened.mesh, log, [&] {
        return or_end_the_job(held, log, [&] {
            return root ? lead(held, run, state, signals, ranks)
                        : follow(run, state, signals, ranks);
        });
    });
}

}  // namespace civitas::train
