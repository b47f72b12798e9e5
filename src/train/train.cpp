#include "civitas/train/train.hpp"

#include "agreement.hpp"
#include "held_run_folder.hpp"
#include "start_report.hpp"
#include "trainer.hpp"
#include "watch.hpp"

#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/profiling/checkpoint_size.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/offload.hpp"

namespace civitas::train {
namespace {

/// Layers with weights that the tensor axis leaves whole.
std::string whole_layers(const net::NetDescription& net, const net::TensorSplit& cuts) {
    std::string names;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        if (cuts.layers[i].cut == net::ChannelSplit::whole &&
            !net::parameters_of(net.layers[i]).empty())
            names += text(names.empty() ? "" : ", ", net.layers[i].name);
    return names.empty() ? "nothing" : names;
}

void report_splits(const Run& run, schedule::NetId which, const net::NetDescription& net) {
    const net::TensorSplit& cuts = run.plan.layout.split_of(which);
    if (cuts.parts == 1) return;
    const auto part = net::local_net(net, cuts, 0);
    run.log.info(text("tensor axis: ", net.name, " in ", cuts.parts, " parts of ",
                      millions(net::parameter_count(part)), " parameters, ",
                      millions(net::values_exchanged(part)),
                      " values exchanged per sample, whole: ", whole_layers(net, cuts)));
}

void report_start(const Run& run, RunState& state) {
    const planner::Configuration& c = run.configuration;
    const auto& gan = c.problem.gan();
    const comm::Communicator& world = run.mesh.world();
    const std::int64_t held = world.max(state.models().bytes());
    const std::int64_t offloaded = world.max(state.models().offloaded_bytes());
    const auto tiles = run.store.rows(data::Split::train).size();
    run.log.info(text("civitas ", version(), ", ", world.size(), " ranks, mesh ",
                      to_string(run.plan.layout.mesh), ", ", run.process.threads,
                      " threads a rank, ", run.process.instruction_set));
    if (const int size = c.layout_options.node_size; size > 0)
        run.log.info(
            text("every ", size, size == 1 ? " rank counts" : " ranks count", " as a node"));
    for (const std::string& line : layout_lines(run.plan.layout, run.process, gan))
        run.log.info(line);
    if (world.any(run.process.device.is_cuda()) && run.plan.layout.mesh.size() > 1)
        run.log.info("tensors travel by " + run.mesh.backend().name());
    run.log.info(text(gan.name, ", ", gan.pixels, " px: generator ",
                      millions(net::parameter_count(gan.generator)), " parameters, discriminator ",
                      millions(net::parameter_count(gan.discriminator)), ", at most ",
                      megabytes(held), " a rank for weights, moments and sums",
                      offloaded > 0 ? text(", ", megabytes(offloaded), " more ",
                                           place_of(run.plan.layout.offload))
                                    : ""));
    report_splits(run, schedule::gan::generator, gan.generator);
    report_splits(run, schedule::gan::discriminator, gan.discriminator);
    if (const auto line = bits_line(c, run.plan.layout.mesh)) run.log.warn(*line);
    run.log.info(in_words(run.plan));
    run.log.info(text(c.run_options.tiles, ": ", tiles, " training tiles of ", run.store.size(),
                      ", ", run.store.header().pixels, " px, ", run.store.header().tile_metres,
                      " m"));
    run.log.detail("configuration:\n" + c.resolved);
}

/// The error that ends a run, if any, is in its log, too; lines that log could not keep are told.
void last_words(Log& log, const std::string& error) {
    if (!error.empty()) log.record("error: " + error);
    if (const std::string losses = log.losses(); !losses.empty()) log.warn(losses);
}

/// What an error says; of too little memory also how many bytes of a rank the plan counts on.
std::string words_of(const std::exception& error, std::int64_t planned_bytes) {
    if (!comm::lacks_memory(error)) return comm::message_of(error);
    const std::string words = text(comm::message_of(error), "; the plan of this run counts on ",
                                   megabytes(planned_bytes), " a rank");
    const Hint out{"more memory or ranks, a smaller --micro-batch, --shard, --redraw, --recompute"};
    return Error(words, out).what();
}

/// An error that only this rank knows of ends the job before anything is unwound: a thread of this
/// rank may wait for a file server that never answers, and the other ranks for this one.
Exit trained(HeldRunFolder& held, const Run& run, RunState& state, StopSignals& signals) {
    Watch watch(run, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    Trainer trainer(run, state, signals, watch.poster());
    try {
        return trainer.run_all();
    } catch (const AgreedError&) {
        throw;
    } catch (const std::exception& e) {
        const std::string words = tasks::place_of(run.mesh) + words_of(e, run.plan.peak_bytes());
        last_words(run.log, words);
        if (held.lock) held.lock->release();
        comm::end_job(run.log.spoken(words));
    }
}

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
Exit train_in(HeldRunFolder& held, const Start& start, StopSignals& signals, Log& log) {
    const auto& [asked, process, mesh, store, estimate, estimated_bytes] = start;
    std::int64_t planned_bytes = estimated_bytes;
    const comm::Communicator& world = mesh.world();
    const RunFolder& folder = held.folder;
    try {
        const auto from = checkpoint_to_resume(world, asked.run_options.resume, folder, log);
        const profiling::Profile profile = profiling::profile_for(
            world, folder.profile(),
            {asked, estimate, tasks::input_work(asked.problem, asked.hyperparameters)}, process,
            log);
        std::optional<std::string> kernels;
        if (from && asked.problem.kernels().automatic)
            kernels = kernels_of(checkpoint::read_contents(world, *from).header.facts);
        const planner::Configuration configuration =
            profiling::decide_kernels(world, asked, profile, kernels, log);
        const planner::CostModel costs = profiling::by_profile(estimate, profile, configuration);
        const planner::StepPlan plan =
            agree_on_plan(world, configuration.layout_options, costs, mesh.shape(), log);
        planned_bytes = plan.peak_bytes();
        RunState state(configuration, plan.layout, process, mesh, store,
                       tasks::agree_on_offload(mesh, configuration, plan, log));
        const Run run{configuration, process, costs, plan, mesh, folder, store, log};
        state.resume(from, folder, log);
        profiling::keep_profile(world, folder.profile(), profile);
        report_start(run, state);
        return trained(held, run, state, signals);
    } catch (const AgreedError& e) {
        throw AgreedError(words_of(e, planned_bytes), e.usage());
    } catch (const std::exception& e) {
        if (!comm::lacks_memory(e)) throw;
        throw Error(words_of(e, planned_bytes));
    }
}

/// Runs `work`; an error that only one rank knows of says on which coordinate it happened.
template <class Work>
Exit with_last_words(const comm::Mesh& mesh, Log& log, Work&& work) {
    try {
        const Exit end = work();
        last_words(log, "");
        return end;
    } catch (const AgreedError& e) {
        last_words(log, e.what());
        throw;
    } catch (const Error& e) {
        last_words(log, tasks::place_of(mesh) + e.what());
        throw Error(tasks::place_of(mesh) + e.what());
    } catch (const std::exception& e) {
        last_words(log, tasks::place_of(mesh) + comm::message_of(e));
        throw;
    }
}

}  // namespace

Exit train(const comm::Communicator& world, const planner::Configuration& asked,
           StopSignals& signals, Log& log) {
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
    const auto store = data::TileStore::open(world, configuration.run_options.tiles);
    comm::agree(world, [&] {
        if (store.rows(data::Split::train).empty())
            throw UsageError(text(configuration.run_options.tiles, " has no training tile"),
                             Hint{"civitas-preprocess with a smaller --test-share"});
        (void)data::Scaling{store.header().pixels, configuration.problem.gan().pixels}.factor();
        profiling::require_checkpoint_fits(configuration.problem, configuration.hyperparameters);
    });
    HeldRunFolder held = hold_run_folder(world, configuration.run_options.run, log);
    const StopSignals::LastAct last_act(signals, [lock = held.lock.get()] {
        if (lock != nullptr) lock->release();
    });
    comm::agree(world, [&] { log.open(held.folder.log(world.rank())); });
    return with_last_words(mesh, log, [&] {
        const Start start{configuration, process, mesh, store, estimate, estimated_bytes};
        return train_in(held, start, signals, log);
    });
}

}  // namespace civitas::train
