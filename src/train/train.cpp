#include "civitas/train/train.hpp"

#include "agreement.hpp"
#include "async_train.hpp"
#include "civitas/runs/held_run_folder.hpp"
#include "last_words.hpp"
#include "server_train.hpp"
#include "start_log.hpp"
#include "watch.hpp"

#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/steps/objectives.hpp"
#include "civitas/tasks/net_input.hpp"
#include "civitas/tasks/offload.hpp"
#include "civitas/train/idle_options.hpp"

namespace civitas::train {
namespace {

/// What train_in() begins with.
struct Start {
    const planner::Configuration& configuration;
    const environment::Process& process;
    const comm::Mesh& mesh;
    const data::TileStore& store;
    const planner::CostModel& estimate;
    std::int64_t estimated_bytes;  ///< of the rank that needs most
};

/// Takes the run's state as far as it is asked to, in a folder that is held.
Exit train_in(runs::HeldRunFolder& held, const Start& start, StopSignals& signals, Log& log) {
    const auto& [asked, process, mesh, store, estimate, estimated_bytes] = start;
    std::int64_t planned_bytes = estimated_bytes;
    const comm::Communicator& world = mesh.world();
    const runs::RunFolder& folder = held.folder;
    try {
        const auto from = runs::checkpoint_to_resume(world, asked.run_options.resume, folder, log);
        const profiling::Profile profile = profiling::profile_for(
            world, folder.profile(),
            {asked, estimate, tasks::input_work(asked.problem, asked.hyperparameters)}, process,
            log);
        std::optional<std::string> kernels;
        if (from && asked.problem.kernels().automatic)
            kernels = runs::kernels_of(checkpoint::read_contents(world, *from).header.facts);
        const planner::Configuration configuration =
            profiling::decide_kernels(world, asked, profile, kernels, log);
        const planner::CostModel costs = profiling::by_profile(estimate, profile, configuration);
        const planner::StepPlan plan =
            agree_on_plan(world, configuration.layout_options, costs, mesh.shape(), log);
        planned_bytes = plan.peak_bytes();
        runs::RunState state(configuration, plan.layout, process, mesh, store,
                             tasks::agree_on_offload(mesh, configuration, plan, log));
        const auto objective = steps::objective_of(configuration, store, process.device);
        const steps::Run run{configuration, process, costs,     plan, mesh,
                             folder,        store,   objective, log,  world};
        state.resume(from, folder, log);
        profiling::keep_profile(world, folder.profile(), profile);
        report_start(run, state);
        SyncCourse course;
        Watch watch(run, [lock = held.lock.get()] {
            if (lock != nullptr) lock->release();
        });
        return trained(held, run, state, signals, course, watch.poster());
    } catch (const AgreedError& e) {
        throw AgreedError(error_words(e, planned_bytes), e.usage());
    } catch (const std::exception& e) {
        if (!comm::lacks_memory(e)) throw;
        throw Error(error_words(e, planned_bytes));
    }
}

Exit train_on(const comm::Communicator& world, const planner::Configuration& asked,
              StopSignals& signals, Log& log, const data::TileStore* opened, bool is_whole_job) {
    if (asked.update.kind == UpdateKind::async)
        return train_async(world, asked, signals, log, opened);
    if (asked.update.kind == UpdateKind::server)
        return train_server(world, asked, signals, log, opened, is_whole_job);
    const planner::CostModel estimate = agree_on_model(world, asked);
    const planner::ExecutionLayout layout = agree_on_layout(world, asked, estimate);
    const planner::Configuration configuration =
        agree_on_weight_copies(world, asked, layout, estimate, log);
    const planner::LayoutOptions& options = configuration.layout_options;
    const MeshShape shape = layout.mesh;
    const environment::Process process = agree_on_process(world, options, shape, log);
    if (options.offload == Offload::disk) environment::keep_less_memory();
    const auto estimated_bytes = agree_on_estimate(world, options, estimate, shape).peak_bytes();
    std::optional<NodeMap> sharing;
    if (layout.ranks_of_node > 1 && options.weight_copies == WeightCopies::node)
        sharing = estimate.nodes();
    const comm::Mesh mesh(world, shape, comm::choose_backend(world, process.device, sharing));
    std::optional<data::TileStore> own;
    if (opened == nullptr) own = data::TileStore::open(world, configuration.run_options.tiles);
    const data::TileStore& store = own ? *own : *opened;
    comm::agree(world, [&] { require_learnable(store, configuration); });
    runs::HeldRunFolder held = runs::hold_run_folder(world, configuration.run_options.run, log);
    const StopSignals::LastAct last_act(signals, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    comm::agree(world, [&] { log.open(held.folder.log(world.rank())); });
    return with_last_words(mesh, log, [&] {
        const Start start{configuration, process, mesh, store, estimate, estimated_bytes};
        return train_in(held, start, signals, log);
    });
}

}  // namespace

Exit train(const comm::Communicator& world, const planner::Configuration& asked,
           StopSignals& signals, Log& log, const data::TileStore* opened) {
    comm::agree(world, [&] { require_delayed_ranks(asked.update, world.size()); });
    if (world.is_root())
        for (const std::string& sentence : idle_options(asked)) log.warn(sentence);
    if (!steps::is_fitted_to_store(asked.problem))
        return train_on(world, asked, signals, log, opened, opened == nullptr);
    std::optional<data::TileStore> own;
    if (opened == nullptr) own = data::TileStore::open(world, asked.run_options.tiles);
    const data::TileStore& store = own ? *own : *opened;
    planner::Configuration fitted = asked;
    comm::agree(world, [&] { steps::fit_to_store(fitted.problem, store); });
    return train_on(world, fitted, signals, log, &store, opened == nullptr);
}

}  // namespace civitas::train
