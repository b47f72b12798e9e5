#include "agreement.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/comm/tags.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/environment/devices.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/layout.hpp"
#include "civitas/profiling/checkpoint_size.hpp"
#include "civitas/profiling/resources_here.hpp"
#include "civitas/schedule/tags.hpp"
#include "civitas/strategy/fitting.hpp"
#include "civitas/strategy/way_out.hpp"

#include <utility>

namespace civitas::train {
namespace {

/// Throws UsageError where a message's number would be beyond what the network can tell apart.
void check_tags(const MeshShape& mesh, const planner::Workload& workload) {
    const std::int64_t micro_batches = workload.micro_batches_of_rank(mesh);
    const std::int64_t most = comm::largest_tag() / schedule::tags_of(1);
    if (mesh[Axis::pipe] == 1 || micro_batches <= most) return;
    throw UsageError(
        text(micro_batches, " micro-batches a rank are too many for a pipe: messages of ", most,
             " can be told apart by this MPI"),
        Hint{text("--micro-batch ", workload.micro_batch * (micro_batches / most + 1),
                  ", or a larger data axis")});
}

/// Throws AgreedError where a rank has too little memory, with what may help. Collective.
void require_fit(const comm::Communicator& world, const strategy::Fitted& fitted,
                 const planner::CostModel& model, const planner::LayoutOptions& options) {
    const bool lacks = !fitted.lacks.empty();
    if (!world.any(lacks)) return;
    const auto hint = comm::agree(world, [&] {
        return world.is_root() ? strategy::way_out(model, options).words : std::string();
    });
    const std::string words = world.broadcast(hint);
    comm::agree(world, [&] {
        if (lacks) throw UsageError(fitted.lacks, Hint{words});
    });
}

/// What the ranks must have decided alike, to meet in what they send each other.
std::string decisions(const planner::ExecutionLayout& s) {
    std::string words =
        text("mesh ", to_string(s.mesh), "\nshard ", to_string(s.shard), "\noffload ",
             to_string(s.offload), "\nranks of a node ", s.ranks_of_node, '\n');
    for (const schedule::NetId net : s.schedule.graph.net_ids()) {
        words += text("stages of ", s.schedule.graph[net]);
        for (const Range& stage : s.stages_of(net)) words += text(' ', stage.count);
        words += '\n';
    }
    return words + to_string(s.schedule);
}

/// All that the ranks were told, whatever files they read it from.
std::string words_of(const planner::Configuration& c) {
    const schedule::Schedule* const table = c.layout_options.table();
    return c.resolved + (table == nullptr ? "" : to_string(*table));
}

}  // namespace

planner::CostModel agree_on_model(const comm::Communicator& world,
                                  const planner::Configuration& c) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       words_of(c));
    const NodeMap nodes = comm::node_map(world, c.layout_options.node_size);
    const planner::MachineModel here =
        profiling::resources_here(world, nodes, c.layout_options.share.part);
    return comm::agree(world, [&] {
        return planner::CostModel(planner::workload_of(c), here, nodes, c.layout_options.replicas);
    });
}

planner::ExecutionLayout agree_on_layout(const comm::Communicator& world,
                                         const planner::Configuration& c,
                                         const planner::CostModel& model) {
    return comm::agree(world, [&] {
        const MeshShape mesh = c.layout_options.mesh.of_ranks(world.size());
        planner::check_batch(model.workload(), mesh);
        check_tags(mesh, model.workload());
        return planner::lay_out(model, c.layout_options, mesh, planner::SearchBudget::check).layout;
    });
}

planner::Configuration agree_on_weight_copies(const comm::Communicator& world,
                                              planner::Configuration c,
                                              const planner::ExecutionLayout& layout,
                                              const planner::CostModel& model, Log& log) {
    const auto lacking =
        profiling::lacking_node_memory(world, layout, model, c.layout_options.share.part);
    if (lacking.empty()) return c;
    if (world.is_root()) log.warn(lacking);
    c.layout_options.weight_copies = WeightCopies::rank;
    return c;
}

environment::Process agree_on_process(const comm::Communicator& world,
                                      const planner::LayoutOptions& options, MeshShape mesh,
                                      Log& log) {
    environment::Process process;
    process.stage_devices = planner::stage_devices(options, mesh);
    const auto pipe = static_cast<std::size_t>(mesh.coordinate(world.rank()).pipe());
    process.replica_devices = environment::agree_on_devices(
        world, process.stage_devices.at(pipe), log, {options.share.taken_gpus, options.replicas});
    process.device = process.replica_devices.front();
    process.threads = environment::set_threads(world, options.threads, log, options.replicas);
    process.instruction_set = environment::agreed_instruction_set(world);
    return process;
}

planner::StepPlan agree_on_estimate(const comm::Communicator& world,
                                    const planner::LayoutOptions& options,
                                    const planner::CostModel& model, MeshShape mesh) {
    strategy::Fitted fitted = comm::agree(world, [&] {
        strategy::Fitted found =
            strategy::fitted_plan(model, options, mesh, planner::SearchBudget::fit);
        const bool leaves_no_choice = found.lacks.empty() || mesh[Axis::pipe] == 1;
        return leaves_no_choice ? found : strategy::fitted_plan(model, options, mesh);
    });
    require_fit(world, fitted, model, options);
    return std::move(fitted.plan);
}

planner::StepPlan agree_on_plan(const comm::Communicator& world,
                                const planner::LayoutOptions& options,
                                const planner::CostModel& model, MeshShape mesh, Log& log) {
    strategy::Fitted fitted =
        comm::agree(world, [&] { return strategy::fitted_plan(model, options, mesh); });
    require_fit(world, fitted, model, options);
    comm::require_same(world, {"the plan", Hint{"nodes of one kind"}},
                       decisions(fitted.plan.layout));
    if (!fitted.told.empty()) log.info(fitted.told);
    return std::move(fitted.plan);
}

void require_learnable(const data::TileStore& store, const planner::Configuration& c) {
    if (c.problem.task() == TaskKind::gan) data::require_classes(store);
    data::require_coding(store, c.problem.coding());
    if (store.rows(data::Split::train).empty())
        throw UsageError(text(c.run_options.tiles, " has no training tile"),
                         Hint{"civitas-preprocess with a smaller --test-share"});
    (void)data::Scaling{store.header().pixels, c.problem.nets.pixels()}.factor();
    check_length(planner::rate_schedule(c, std::ssize(store.rows(data::Split::train))));
    profiling::require_checkpoint_fits(c.problem, c.hyperparameters);
}

void require_delayed_ranks(const UpdateOptions& update, int ranks) {
    for (const auto& [rank, seconds] : update.delays)
        if (rank >= ranks)
            throw UsageError(text("--delay names rank ", rank, " of ", ranks),
                             Hint{"ranks count from 0"});
}

}  // namespace civitas::train
