#include "civitas/planner/layout.hpp"

#include "sharded_layout.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/schedule/sharded_weights.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::planner {
namespace {

void require_line_for_each(const schedule::Schedule& schedule, MeshShape mesh) {
    if (std::ssize(schedule.coordinates) == mesh[Axis::pipe]) return;
    throw UsageError(text("schedule ", schedule.name, " has ", schedule.coordinates.size(),
                          " lines of actions, mesh ", to_string(mesh), " has ", mesh[Axis::pipe],
                          " pipe coordinates"),
                     Hint{"one line for each"});
}

void require_weights_to_gather(const schedule::Schedule& schedule, ShardLevel level) {
    if (shards_weights(level) || !schedule::has_gathers(schedule)) return;
    throw UsageError(
        text("schedule ", schedule.name, " gathers weights, but every rank has them"),
        Hint{"--shard parameters and two ranks or more along the data axis, or a table "
             "without gather and release"});
}

/// The user's table says how many stages it has, on every coordinate as many, but for units.
schedule::Schedule schedule_for(const CostModel& model, const LayoutOptions& options,
                                MeshShape mesh, bool reversed) {
    schedule::ScheduleShape shape{
        .graph = model.workload().graph,
        .coordinates = mesh[Axis::pipe],
        .micro_batches = model.workload().micro_batches_of_rank(mesh) / options.replicas,
        .redraw = options.redraw,
        .recompute = options.recompute,
        .reversed = reversed};
    schedule::Schedule schedule;
    if (const auto* const ours = std::get_if<ScheduleName>(&options.schedule)) {
        shape.chunks = ours->chunks;
        // Of a long pipe the table would take long to write, for nothing.
        for (const WorkloadNet& net : model.workload().nets)
            (void)blocks_of(net.description, shape.stages());
        schedule = schedule::make_schedule(ours->name, shape);
    } else {
        schedule = *options.table();
        require_line_for_each(schedule, mesh);
        require_weights_to_gather(schedule, level_among(mesh[Axis::data], options.shard));
        if (const auto units = named_units(schedule, model.workload())) {
            check_schedule(schedule, schedule::stage_counts_of(*units), shape.micro_batches);
            return schedule;
        }
        const auto first =
            schedule::placement_of(schedule).stages_of(schedule::NetId{0}, PipeCoordinate{0});
        shape.chunks = std::max(1, static_cast<int>(first.size()));
        schedule::check_schedule(schedule, shape);
    }
    return schedule;
}

/// GPUs have their own memory, and MPI's own sums are no sums of slices.
int ranks_of_node(const CostModel& model, const LayoutOptions& options, MeshShape mesh) {
    const bool whole_sums = options.reduction == Reduction::fast;
    if (computes_on_gpus(model, options) || whole_sums ||
        options.weight_copies == WeightCopies::rank)
        return 1;
    int fewest = mesh[Axis::data];
    for (const Rank first : mesh.first_of_groups(Axis::data))
        fewest = std::min(fewest, model.nodes().of(mesh.group(first, Axis::data)).fewest_ranks());
    return fewest;
}

/// All of a layout that does not depend on how the nets are cut into stages.
ExecutionLayout unstaged(const CostModel& model, const LayoutOptions& options, MeshShape mesh,
                         bool reversed) {
    ExecutionLayout layout;
    layout.mesh = mesh;
    layout.replicas = options.replicas;
    layout.shard = options.shard;
    if (options.offload == Offload::disk || computes_on_gpus(model, options))
        layout.offload = options.offload;
    layout.ranks_of_node = ranks_of_node(model, options, mesh);
    layout.sums_behind = options.reduction == Reduction::tree && options.replicas == 1 &&
                         !computes_on_gpus(model, options) &&
                         ranks_leaving(mesh, Axis::data, model.nodes()) > 0;
    layout.schedule = schedule_for(model, options, mesh, reversed);
    layout.placement = schedule::placement_of(layout.schedule);
    layout.splits = model.workload().tensor_splits(mesh[Axis::tensor]);
    return layout;
}

/// The placements to choose from; a user's own table has its own.
std::vector<bool> reversed_or_not(const LayoutOptions& options, MeshShape mesh) {
    if (options.placement != StageOrder::automatic)
        return {options.placement == StageOrder::reversed};
    if (mesh[Axis::pipe] == 1 || options.table() != nullptr) return {false};
    return {false, true};
}

}  // namespace

bool ExecutionLayout::has_reversed() const {
    const auto nets = schedule.graph.net_ids();
    return std::any_of(nets.begin(), nets.end(), [this](auto net) { return is_reversed(net); });
}

std::vector<DeviceKind> stage_devices(const LayoutOptions& options, MeshShape mesh) {
    const auto& devices = options.stage_devices;
    if (devices.empty()) return {static_cast<std::size_t>(mesh[Axis::pipe]), options.device};
    if (std::ssize(devices) == mesh[Axis::pipe]) return devices;
    throw UsageError(
        text("--stage-devices ", to_string(devices), " has ", devices.size(), " devices, mesh ",
             to_string(mesh), " has ", mesh[Axis::pipe], " pipe coordinates"),
        Hint{"one for each"});
}

bool computes_on_gpus(const CostModel& model, const LayoutOptions& options) {
    return model.machine().gpus > 0 || has_kind(options.devices(), DeviceKind::cuda);
}

LaidOut lay_out(const CostModel& model, const LayoutOptions& options, MeshShape mesh,
                SearchBudget budget) {
    (void)stage_devices(options, mesh);
    check_replicas(model.workload(), options, mesh);
    std::optional<ExecutionLayout> best;
    net::PartitionCost least;
    for (const bool reversed : reversed_or_not(options, mesh)) {
        ExecutionLayout layout = unstaged(model, options, mesh, reversed);
        auto [stages, cost] = choose_stages(model, options, layout, budget);
        if (best && cost >= least) continue;
        layout.stages = std::move(stages);
        least = cost;
        best = std::move(layout);
    }
    ExecutionLayout layout = with_shard_level(std::move(*best), options.shard, model.workload());
    // Others look at many layouts, for which this would take long.
    if (budget == SearchBudget::check || budget == SearchBudget::search)
        layout.messages =
            schedule::message_order(layout.schedule, layout.stage_counts(),
                                    model.workload().micro_batches_of_replica(layout));
    return {std::move(layout), least.excess_bytes};
}

ExecutionLayout with_shard_level(ExecutionLayout layout, ShardLevel level,
                                 const Workload& workload) {
    layout.shard = level;
    return with_sharded_weights(std::move(layout), workload);
}

}  // namespace civitas::planner
