#include "async_train.hpp"

#include "agreement.hpp"
#include "async_course.hpp"
#include "last_words.hpp"
#include "start_log.hpp"
#include "watch.hpp"

#include "civitas/async/shared_net.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/profiling/checkpoint_size.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/strategy/candidates.hpp"
#include "civitas/tasks/augment.hpp"
#include "civitas/tasks/gan_step.hpp"

namespace civitas::train {
namespace {

/// What has no meaning where each rank makes steps of its own.
void refuse_what_needs_others(const comm::Communicator& world, const planner::Configuration& c) {
    const planner::LayoutOptions& o = c.layout_options;
    const auto refuse = [](bool given, const std::string& what, const std::string& hint) {
        if (given)
            throw UsageError("--update async trains each rank by itself: " + what, Hint{hint});
    };
    const MeshShape mesh = o.mesh.of_ranks(world.size());
    refuse(mesh[Axis::pipe] > 1 || mesh[Axis::tensor] > 1,
           text("a mesh of ", to_string(mesh), " divides nets among ranks"),
           "--mesh with a data axis alone, or --update sync");
    refuse(o.shard != ShardLevel::none, "--shard divides what ranks hold", "--shard none");
    refuse(o.replicas > 1, "--replicas add up their gradients", "--replicas 1");
    refuse(o.offload != Offload::none, "shared weights and moments stay in memory",
           "--offload none");
    refuse(o.device != DeviceKind::cpu || !o.stage_devices.empty(),
           "ranks share weights in memory of the host", "--device cpu");
    refuse(c.problem.sync_batch_norm, "there is nobody to normalise with",
           "leave out --sync-batch-norm");
    refuse(!c.run_options.trace.empty(), "a trace shows what ranks do together",
           "leave out --trace");
    refuse(c.problem.kernels().automatic, "kernels that are chosen by times may differ",
           "--kernels aten or fast");
}

/// Each rank by itself, with its part of the machine.
planner::Configuration alone(planner::Configuration c, const comm::Communicator& world) {
    c.layout_options.mesh = MeshRequest("");
    c.layout_options.share.part /= world.size();
    c.update.ranks = world.size();
    // Who writes no checkpoints needs no copy for them.
    if (!world.is_root()) c.run_options.checkpoint_mode = planner::CheckpointMode::sync;
    return c;
}

environment::Process process_of(const comm::Communicator& world, const planner::Configuration& c,
                                Log& log) {
    environment::Process process;
    process.stage_devices = {DeviceKind::cpu};
    process.device = at::kCPU;
    process.threads = environment::set_threads(world, c.layout_options.threads, log);
    process.instruction_set = environment::agreed_instruction_set(world);
    return process;
}

/// What ranks share of the nets.
struct SharedNets {
    SharedNets(const comm::Communicator& world, const UpdateOptions& update)
        : revocation(world),
          node(world, 0, revocation),
          counts(world, static_cast<std::int64_t>(async::BatchCounter::bytes_for(world.size()))),
          counter(counts.bytes(), world.size(), index(world.rank()), update.max_staleness),
          figures(world, static_cast<std::int64_t>(AsyncCourse::bytes_for(world.size()))),
          generator(node, update.moments),
          discriminator(node, update.moments) {}

    comm::Revocation revocation;
    comm::NodeCollectives node;
    comm::NodeMemory counts;
    async::BatchCounter counter;
    comm::NodeMemory figures;
    async::SharedNet generator, discriminator;
};

/// What is opened before models are made.
struct Opened {
    planner::CostModel estimate;
    environment::Process process;
    comm::Mesh mesh;
    std::optional<data::TileStore> store;  ///< none where it is open already
};

/// The root takes up a checkpoint, if there is one, for all.
void take_up(const comm::Communicator& world, runs::RunState& state,
             const std::optional<std::filesystem::path>& from, const runs::RunFolder& folder,
             Log& log) {
    world.barrier();  // all have made their models
    comm::agree(world, [&] {
        if (world.is_root()) state.resume(from, folder, log);
    });
    if (world.is_root()) {
        state.models().generator.publish();
        state.models().discriminator.publish();
    }
    world.barrier();
    state.models().generator.refresh();
    state.models().discriminator.refresh();
    const auto seen = state.samples_seen();
    const auto taken = world.broadcast(
        std::vector<std::int64_t>{state.steps_done(), index(seen.after), seen.count});
    state.go_to(taken[0], {StepIndex{taken[1]}, taken[2]});
}

Exit lead(runs::HeldRunFolder& held, const Run& run, runs::RunState& state, StopSignals& signals,
          AsyncCourse& course) {
    Watch watch(run, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    try {
        report_start(run, state);
        const Exit end = trained(held, run, state, signals, course, watch.poster());
        course.end(end);
        return end;
    } catch (const AgreedError&) {
        course.end_by_error();
        throw;
    }
}

Exit follow(const Run& run, runs::RunState& state, StopSignals& signals, AsyncCourse& course) {
    Watch watch(run, [] {});
    StepRunner runner(run, state, watch.poster());
    (void)signals.requested();  // from here on they are obeyed between steps
    return course.follow(runner, [&] {
        return tasks::BetweenSteps{.wish = signals.requested() ? tasks::Wish::stop
                                                               : tasks::Wish::go_on};
    });
}

}  // namespace

Exit train_async(const comm::Communicator& world, const planner::Configuration& asked,
                 StopSignals& signals, Log& log, const data::TileStore* opened_store) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       asked.resolved);
    const NodeMap nodes = comm::node_map(world, asked.layout_options.node_size);
    comm::agree(world, [&] {
        refuse_what_needs_others(world, asked);
        if (nodes.nodes() > 1)
            throw UsageError(text("--update async needs ranks that share memory; these are on ",
                                  nodes.nodes(), " nodes"),
                             Hint{"one node, or --update sync"});
    });
    const comm::Communicator self = comm::Communicator::self();
    const planner::Configuration c = alone(asked, world);
    const environment::Process process = process_of(world, c, log);
    const Opened opened = comm::agree(world, [&]() -> Opened {
        const planner::CostModel estimate = agree_on_model(self, c);
        const planner::ExecutionLayout layout = agree_on_layout(self, c, estimate);
        profiling::require_checkpoint_fits(c.problem, c.hyperparameters);
        Opened all{estimate,
                   process,
                   comm::Mesh(self, layout.mesh, comm::choose_backend(self, at::kCPU)),
                   {}};
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
    SharedNets shared(world, c.update);
    runs::RunState state(c, plan.layout, process, opened.mesh, store, nullptr, &shared.generator,
                         &shared.discriminator);
    const Run run{c, process, opened.estimate, plan, opened.mesh, held.folder, store, log, world};
    take_up(world, state, from, held.folder, log);
    AsyncCourse course(world, shared.counter, shared.figures.bytes(), state);
    return with_last_words(opened.mesh, log, [&] {
        return or_end_the_job(held, log, [&] {
            return root ? lead(held, run, state, signals, course)
                        : follow(run, state, signals, course);
        });
    });
}

}  // namespace civitas::train
