#include "by_itself.hpp"

#include "agreement.hpp"
#include "one_device.hpp"
#include "start_log.hpp"
#include "watch.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/planner/layout.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/steps/objectives.hpp"
#include "civitas/tasks/net_input.hpp"

namespace civitas::train {
namespace {

environment::Process process_of(const comm::Communicator& world, const planner::Configuration& c,
                                Log& log) {
    environment::Process process;
    process.stage_devices =
        comm::agree(world, [&] { return planner::stage_devices(c.layout_options, MeshShape{}); });
    process.device = agree_on_one_device(world, process.stage_devices.front(),
                                         c.layout_options.share.taken_gpus);
    process.threads = environment::set_threads(world, c.layout_options.threads, log);
    process.instruction_set = environment::agreed_instruction_set(world);
    return process;
}

comm::Mesh mesh_of(const comm::Communicator& world, const comm::Communicator& self,
                   const planner::Configuration& planned, const planner::CostModel& estimate) {
    return comm::agree(world, [&] {
        const planner::ExecutionLayout layout = agree_on_layout(self, planned, estimate);
        (void)agree_on_estimate(self, planned.layout_options, estimate, layout.mesh);
        return comm::Mesh(self, layout.mesh, comm::choose_backend(self, at::kCPU));
    });
}

/// Opens a rank's log. Returns the checkpoint that the root is to go on from.
std::optional<std::filesystem::path> opened_log(const comm::Communicator& world,
                                                const comm::Communicator& self,
                                                const planner::Configuration& c,
                                                const runs::HeldRunFolder& held, Log& log) {
    log.open(held.folder.log(world.rank()));
    if (!world.is_root()) return std::nullopt;
    return runs::checkpoint_to_resume(self, c.run_options.resume, held.folder, log);
}

/// What nets cost a rank of the mesh, by times of layers while all that compute are at work. These
/// decide no kernel, nor anything else that ranks must have alike. Collective.
planner::CostModel timed_costs(const comm::Communicator& world, const planner::Configuration& c,
                               const planner::CostModel& estimate,
                               const environment::Process& process, const runs::RunFolder& folder,
                               Log& log) {
    const auto& served = estimate.workload().served_model;
    const profiling::RankWork rank{.computes = !served || served->works(),
                                   .in_step = served && served->max_staleness == 0};
    const profiling::Profile profile = profiling::profile_for(
        world, folder.profile(),
        {c, estimate, tasks::input_work(c.problem, c.hyperparameters), rank}, process, log);
    profiling::keep_profile(world, folder.profile(), profile);
    return profiling::by_profile(estimate, profile, c);
}

Exit lead(runs::HeldRunFolder& held, const steps::Run& run, runs::RunState& state,
          StopSignals& signals, LedCourse& course) {
    Watch watch(run, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    course.post_to(watch.poster());
    try {
        report_start(run, state);
        const Exit end = trained(held, run, state, signals, course, watch.poster());
        course.end(end);
        return end;
    } catch (const AgreedError& e) {
        // One that the root alone has agreed on is its own.
        const bool names_rank = course.is_error_of_job() || run.ranks.size() == 1;
        const std::string words =
            names_rank ? e.what() : text("rank ", index(run.ranks.rank()), ": ", e.what());
        course.end_by_error(words);
        throw AgreedError(words, e.usage());
    }
}

/// Its errors are this rank's alone, though it finds itself agreed with all ranks of its mesh.
std::unique_ptr<steps::StepRunner> runner_of(const steps::Run& run, runs::RunState& state,
                                             tasks::Poster* poster) {
    try {
        return std::make_unique<steps::StepRunner>(run, state, poster);
    } catch (const AgreedError& e) {
        throw Error(e.what());
    }
}

Exit follow(const steps::Run& run, runs::RunState& state, StopSignals& signals, LedCourse& course) {
    Watch watch(run, [] {});
    const auto runner = runner_of(run, state, watch.poster());
    return course.follow(*runner, [&] {
        return tasks::BetweenSteps{.wish = signals.requested() ? tasks::Wish::stop
                                                               : tasks::Wish::go_on};
    });
}

}  // namespace

planner::Configuration configuration_by_itself(planner::Configuration c,
                                               const comm::Communicator& world) {
    const NodeMap nodes = comm::node_map(world, c.layout_options.node_size);
    c.layout_options.mesh = MeshRequest("");
    c.layout_options.share.part /= static_cast<double>(nodes.beside(world.rank()).size());
    c.update.ranks = world.size();
    c.update.nodes = nodes;
    c.update.rank = index(world.rank());
    // Who writes no checkpoints needs no copy for them.
    if (!world.is_root()) c.run_options.checkpoint_mode = planner::CheckpointMode::sync;
    return c;
}

void refuse_what_needs_others(const std::string& kind, const comm::Communicator& world,
                              const planner::Configuration& c) {
    const planner::LayoutOptions& o = c.layout_options;
    const auto refuse = [&](bool given, const std::string& what, const std::string& hint) {
        if (given) throw UsageError(kind + what, Hint{hint});
    };
    const MeshShape mesh = o.mesh.of_ranks(world.size());
    refuse(mesh[Axis::pipe] > 1 || mesh[Axis::tensor] > 1,
           text("a mesh of ", to_string(mesh), " divides nets among ranks"),
           "--mesh with a data axis alone, or --update sync");
    refuse(o.shard != ShardLevel::none, "--shard divides what ranks hold", "--shard none");
    refuse(o.replicas > 1, "--replicas add up their gradients", "--replicas 1");
    refuse(o.offload != Offload::none, "weights and moments stay in memory", "--offload none");
    refuse(c.problem.sync_batch_norm, "there is nobody to normalise with",
           "leave out --sync-batch-norm");
    refuse(!c.run_options.trace.empty(), "a trace shows what ranks do together",
           "leave out --trace");
    refuse(c.problem.kernels().automatic, "kernels that are chosen by times may differ",
           "--kernels aten or fast");
}

OpenedByItself::OpenedByItself(const comm::Communicator& world, planner::Configuration asked,
                               StopSignals& signals, Log& log, const data::TileStore* opened)
    : world_(world),
      log_(log),
      self_(comm::Communicator::self()),
      configuration_(std::move(asked)),
      process_(process_of(world, configuration_, log)),
      estimate_(comm::agree(world, [&] { return agree_on_model(self_, configuration_); })),
      mesh_(mesh_of(world, self_, configuration_, estimate_)),
      own_store_(comm::agree(world,
                             [&] {
                                 std::optional<data::TileStore> own;
                                 const std::string& tiles = configuration_.run_options.tiles;
                                 if (opened == nullptr) own = data::TileStore::open(self_, tiles);
                                 require_learnable(own ? *own : *opened, configuration_);
                                 return own;
                             })),
      store_(own_store_ ? *own_store_ : *opened),
      held_(comm::agree(world,
                        [&] {
                            const std::string& run = configuration_.run_options.run;
                            return world.is_root() ? runs::hold_run_folder(self_, run, log)
                                                   : runs::HeldRunFolder{{run}, nullptr};
                        })),
      last_act_(signals,
                [lock = held_.lock.get()] {
                    if (lock != nullptr) lock->release();
                }),
      from_(
          comm::agree(world, [&] { return opened_log(world, self_, configuration_, held_, log); })),
      costs_(timed_costs(world, configuration_, estimate_, process_, held_.folder, log)),
      plan_(comm::agree(world, [&] {
          return agree_on_plan(self_, configuration_.layout_options, costs_, mesh_.shape(), log);
      })) {}

steps::Run OpenedByItself::run(std::int64_t parts) const {
    const auto objective = steps::objective_of(configuration_, store_, process_.device);
    return {configuration_, process_,  costs_, plan_,  mesh_, held_.folder,
            store_,         objective, log_,   world_, parts};
}

runs::RunState OpenedByItself::state(std::vector<optim::SharedModel*> shared) const {
    return {configuration_, plan_.layout, process_, mesh_, store_, nullptr, std::move(shared)};
}

void OpenedByItself::take_up(runs::RunState& state) {
    world_.barrier();  // all have made their models
    comm::agree(world_, [&] {
        if (world_.is_root()) state.resume(from_, held_.folder, log_);
    });
    if (world_.is_root())
        for (const auto& net : state.models().all()) net->publish();
    const auto seen = state.samples_seen();
    const auto taken = world_.broadcast(
        std::vector<std::int64_t>{state.steps_done(), index(seen.after), seen.count});
    state.go_to(taken[0], {StepIndex{taken[1]}, taken[2]});
}

bool files_are_due(const runs::RunState& state, const tasks::BetweenSteps& next) {
    return next.save_is_due || (state.save_on_its_way() && next.writing_is_done);
}

Exit train_led(OpenedByItself& opened, const steps::Run& run, runs::RunState& state,
               StopSignals& signals, LedCourse& course) {
    // Who is asked to stop before this ends at once, and the others with it; from here on requests
    // are obeyed between steps, by all.
    (void)signals.requested();
    run.ranks.barrier();
    return with_last_words(opened.mesh(), run.log, [&] {
        return or_end_the_job(opened.held(), run.log, [&] {
            return run.is_root_of_job() ? lead(opened.held(), run, state, signals, course)
                                        : follow(run, state, signals, course);
        });
    });
}

}  // namespace civitas::train
