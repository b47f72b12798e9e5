#include "civitas/planner/cost_model.hpp"

#include "civitas/net/arena_slices.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/schedule/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace civitas::planner {
namespace {

using schedule::NetId;

double reduce_seconds(Link link, int ranks, int passes, std::int64_t bytes) {
    if (ranks == 1) return 0;
    return link.seconds(std::int64_t{passes + 1} * (ranks - 1),
                        schedule::reduction_bytes(bytes, passes, ranks));
}

/// Two leaves are read and their sum is written, for each leaf but the first of a pass.
double adding_seconds(const Rates& rates, std::int64_t leaf_bytes) {
    constexpr int passes_over_memory = 3;
    return static_cast<double>(passes_over_memory * leaf_bytes) / rates.bytes;
}

/// Adam reads the gradient; it reads and writes weights, both moments and the mean.
double update_seconds(const Rates& rates, bool mean, std::int64_t bytes) {
    const int passes_over_memory = 1 + 2 * (mean ? 4 : 3);
    return static_cast<double>(passes_over_memory * bytes) / rates.bytes;
}

}  // namespace

/// What does not depend on the stage.
struct CostModel::Links {
    Rates rates;  ///< with the link along the tensor axis
    Link data;
};

CostModel::CostModel(Workload workload, const MachineModel& machine, NodeMap nodes,
                     LayerTimings timings)
    : workload_(std::move(workload)),
      machine_(machine),
      nodes_(std::move(nodes)),
      timings_(std::move(timings)) {}

CostModel::CostModel(const Workload& workload, const MachineModel& machine, NodeMap nodes)
    : workload_(workload),
      machine_(machine),
      nodes_(std::move(nodes)),
      timings_(estimated_timings(workload, machine, nodes_.ranks())) {}

CostModel::CostModel(const Workload& workload, const MachineModel& machine, int ranks)
    : CostModel(workload, machine, nodes_of(machine, ranks)) {}

ValueBytes CostModel::value_bytes() const { return planner::value_bytes(workload_.precision); }

Link CostModel::link(MeshShape mesh, Axis axis) const {
    return link_along(machine_, nodes_, mesh, axis);
}

schedule::Costs CostModel::costs(const ExecutionLayout& layout) const {
    Links links{.rates = rates_of(machine_, ranks(), workload_.precision),
                .data = link(layout.mesh, Axis::data)};
    links.rates.tensor = link(layout.mesh, Axis::tensor);
    const Link pipe = link(layout.mesh, Axis::pipe);
    const ValueBytes values = value_bytes();
    schedule::Costs costs;
    costs.latency_s = pipe.latency_s;
    costs.bytes_per_second = pipe.bytes_per_second;
    costs.outputs_copied = workload_.copies_outputs || values.compute < values.master;
    for (const NetId which : layout.schedule.graph.net_ids()) {
        auto& stages = costs.nets.emplace_back();
        for (const Range layers : layout.stages_of(which))
            stages.push_back(stage_costs(layout, which, layers, links));
        if (shards_weights(level_among(layout.mesh[Axis::data], layout.shard)))
            for (const PipeCoordinate at : each<PipeCoordinate>(layout.mesh[Axis::pipe]))
                add_gathers(layout, which, at, links, stages);
    }
    return costs;
}

// Ranks own equal parts of a coordinate's layers one after the other, not of each layer: a gather
// takes as long as the owner of most of it sends.
void CostModel::add_gathers(const ExecutionLayout& layout, NetId which, PipeCoordinate coordinate,
                            const Links& links, std::vector<schedule::StageCosts>& stages) const {
    const int others = layout.mesh[Axis::data] - 1;
    const net::ArenaLayout arena(
        net::parameters_of(workload_.local_layers(layout, which, coordinate)));
    const auto slices = net::owned_slices(arena, others + 1);
    std::int64_t slot = 0;
    for (const StageId stage : layout.placement.stages_of(which, coordinate)) {
        const auto number = static_cast<std::size_t>(stage);
        const auto part = workload_.local_part(layout, which, layout.stages_of(which).at(number));
        const auto slots = std::ssize(net::parameters_of(part));
        const Range elements = arena.elements({std::exchange(slot, slot + slots), slots});
        std::int64_t most = 0;
        for (const Range owned : net::within(slices, elements)) most = std::max(most, owned.count);
        schedule::StageCosts& costs = stages.at(number);
        const double share = static_cast<double>(most) / static_cast<double>(elements.count);
        costs.gather_s = links.data.seconds(
            others, others * std::llround(share * static_cast<double>(costs.gathered_bytes)));
    }
}

schedule::StageCosts CostModel::stage_costs(const ExecutionLayout& layout, NetId which,
                                            Range layers, const Links& links) const {
    const ValueBytes values = value_bytes();
    const auto part = workload_.local_part(layout, which, layers);
    const auto times = std::span(timings_.of(which))
                           .subspan(static_cast<std::size_t>(layers.begin),
                                    static_cast<std::size_t>(layers.count));
    const auto part_times = times_of_part(net::part_of(workload_[which].description, layers), times,
                                          part, workload_.micro_batch, values, links.rates);
    auto stage = planner::stage_costs(part, workload_.micro_batch, values, part_times);
    const std::int64_t bytes = net::parameter_count(part) * values.master;
    const int ranks = layout.mesh[Axis::data];
    const ShardLevel shard = level_among(ranks, layout.shard);
    if (shards_gradients(shard)) {
        const std::int64_t shared = bytes * (ranks - 1) / ranks;
        std::int64_t summed = 0;  // layers
        for (const Range slots : net::slots_of_layers(part)) summed += slots.count > 0 ? 1 : 0;
        stage.backward_weights_s += links.data.seconds((ranks - 1) * summed, shared);
        stage.reduce_s = shards_weights(shard) ? 0 : links.data.seconds(ranks - 1, shared);
    } else {
        stage.reduce_s =
            reduce_seconds(links.data, ranks, workload_.leaves(layout.mesh, which).passes, bytes);
    }
    if (shards_weights(shard)) stage.gathered_bytes = gathered_bytes(part, values);
    const schedule::LeafCounts leaves = workload_.leaves(layout.mesh, which);
    const double added_s = adding_seconds(links.rates, bytes);
    stage.backward_weights_s += added_s * (1 - 1 / static_cast<double>(leaves.per_pass));
    stage.reduce_s += added_s * (leaves.passes - 1);
    const int owners = shard == ShardLevel::none ? 1 : ranks;
    stage.step_s = update_seconds(links.rates, workload_[which].has_mean, bytes / owners);
    return stage;
}

NetMemory CostModel::net_memory(const net::NetDescription& local, const ExecutionLayout& layout,
                                NetId which) const {
    return planner::net_memory(local, workload_.leaves(layout.mesh, which),
                               workload_[which].has_mean, value_bytes(), data_axis(layout));
}

std::int64_t CostModel::reduced_bytes(const ExecutionLayout& layout, const schedule::Costs& costs,
                                      PipeCoordinate coordinate) const {
    const int ranks = layout.mesh[Axis::data];
    const auto gathered = schedule::gather_traffic(layout.schedule, coordinate, costs).bytes;
    std::int64_t reduced = gathered * (ranks - 1) / ranks;
    for (const NetId which : workload_.graph.net_ids()) {
        const auto local = workload_.local_layers(layout, which, coordinate);
        const schedule::LeafCounts leaves = workload_.leaves(layout.mesh, which);
        const std::int64_t bytes = net::parameter_count(local) * value_bytes().master;
        const std::int64_t sums =
            leaves.passes * (shards_gradients(layout.shard) ? leaves.per_pass : 1);
        reduced += shards_weights(layout.shard) ? schedule::scattered_bytes(bytes, sums, ranks)
                                                : schedule::reduction_bytes(bytes, sums, ranks);
    }
    return reduced;
}

}  // namespace civitas::planner
