#include "civitas/planner/cost_model.hpp"

#include "civitas/net/arena_slices.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/planner/served_seconds.hpp"
#include "civitas/schedule/traffic.hpp"

#include <span>
#include <utility>

namespace civitas::planner {
namespace {

using schedule::NetId;

/// Ranks that a rank sends to: those that share its node read what it has.
int ranks_beyond(const DataAxis& data) { return data.ranks - data.ranks_of_node; }

/// For a sum of slices of so many bytes over ranks: a rank sends its slices.
double send_seconds(Link link, const DataAxis& data, std::int64_t bytes) {
    const int beyond = ranks_beyond(data);
    return beyond == 0 ? 0 : link.seconds(beyond, schedule::scattered_bytes(bytes, data.ranks));
}

/// Those of its node it reads where they lie, once all have come.
double read_seconds(Link link, const Rates& rates, const DataAxis& data, std::int64_t bytes) {
    return data.ranks_of_node == 1 ? 0 : Link{link.latency_s, rates.bytes}.seconds(1, bytes);
}

/// Bytes of new weights: of masters, and where a node has them once of the copy for computing.
std::int64_t handed_out(std::int64_t masters, const DataAxis& data, ValueBytes values) {
    const bool copied = data.ranks_of_node > 1 && values.compute < values.master;
    return masters + (copied ? masters / values.master * values.compute : 0);
}

/// A rank's slice of the weights goes to each other node once, in so many exchanges.
double hand_out_seconds(Link link, const DataAxis& data, std::int64_t exchanges,
                        std::int64_t bytes) {
    if (ranks_beyond(data) == 0) return 0;
    return link.seconds(exchanges * ranks_beyond(data) / data.ranks_of_node,
                        schedule::scattered_bytes(bytes, data.ranks) / data.ranks_of_node);
}

/// Two leaves are read and their sum is written, for each leaf but the first of a pass.
double adding_seconds(const Rates& rates, std::int64_t leaf_bytes) {
    constexpr int passes_over_memory = 3;
    return static_cast<double>(passes_over_memory * leaf_bytes) / rates.bytes;
}

/// The optimizer reads the gradient; it reads and writes weights, moments and the mean.
double update_seconds(const Rates& rates, OptimizerArrays kept, std::int64_t bytes) {
    const int passes_over_memory = 1 + 2 * (1 + kept.count());
    return static_cast<double>(passes_over_memory * bytes) / rates.bytes;
}

/// For each part its worker sends gradients and gets weights; once in a step servers add up those
/// of all parts and update a slice each. `bytes`: of the weights of the stage.
void add_servers(schedule::StageCosts& stage, const ServedModel& served, const ServedNet& net,
                 std::int64_t bytes, const Rates& rates, const MachineModel& machine) {
    const std::int64_t slice = bytes / served.roles.servers();
    const std::int64_t terms = served.parts * net.leaves.passes;
    const double pull_s = exchange_seconds(served, machine, bytes);
    const int pulls = pulls_of_part(served, net.awaited);
    stage.reduce_s += exchange_seconds(served, machine, net.leaves.passes * bytes) + pulls * pull_s;
    stage.step_s += adding_seconds(rates, slice) * static_cast<double>(terms - 1) +
                    update_seconds(rates, net.kept, slice) + (pulls == 0 ? pull_s : 0);
}

}  // namespace

/// What does not depend on the stage.
struct CostModel::Links {
    Rates rates;    ///< of a replica, with the link along the tensor axis
    Rates of_rank;  ///< of all replicas together
    Link data;
    double offload = 0;  ///< bytes a second of a rank
};

CostModel::CostModel(Workload workload, const MachineModel& machine, NodeMap nodes,
                     LayerTimings timings)
    : workload_(std::move(workload)),
      machine_(machine),
      nodes_(std::move(nodes)),
      timings_(std::move(timings)) {}

CostModel::CostModel(const Workload& workload, const MachineModel& machine, NodeMap nodes,
                     int replicas)
    : workload_(workload),
      machine_(machine),
      nodes_(std::move(nodes)),
      timings_(estimated_timings(workload, machine, nodes_.ranks() * replicas)) {}

CostModel::CostModel(const Workload& workload, const MachineModel& machine, int ranks, int replicas)
    : CostModel(workload, machine, nodes_of(machine, ranks), replicas) {}

ValueBytes CostModel::value_bytes() const { return planner::value_bytes(workload_.precision); }

Link CostModel::link(MeshShape mesh, Axis axis) const {
    return link_along(machine_, nodes_, mesh, axis);
}

schedule::Costs CostModel::costs(const ExecutionLayout& layout) const {
    Links links{.rates = rates_of(machine_, ranks() * layout.replicas, workload_.precision),
                .of_rank = rates_of(machine_, ranks(), workload_.precision),
                .data = link(layout.mesh, Axis::data),
                .offload = layout.offload == Offload::host
                               ? machine_.host_bandwidth
                               : machine_.disk_bandwidth / machine_.ranks_of_node(ranks())};
    links.rates.tensor = link(layout.mesh, Axis::tensor);
    const Link pipe = link(layout.mesh, Axis::pipe);
    const ValueBytes values = value_bytes();
    schedule::Costs costs;
    costs.latency_s = pipe.latency_s;
    costs.bytes_per_second = pipe.bytes_per_second;
    costs.leaves_summed = shards_gradients(level_among(layout.mesh[Axis::data], layout.shard));
    costs.outputs_copied = workload_.copies_outputs || values.compute < values.master;
    for (const NetId which : layout.schedule.graph.net_ids()) {
        auto& stages = costs.nets.emplace_back();
        for (const Range layers : layout.stages_of(which))
            stages.push_back(stage_costs(layout, which, layers, links));
    }
    return costs;
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
    const DataAxis data = data_axis(layout);
    const ShardLevel shard = level_among(data.ranks, data.shard);
    add_sums(stage, layout, which, part, part_times, links);
    if (!shards_weights(shard))
        stage.reduce_s += hand_out_seconds(links.data, data, 1, handed_out(bytes, data, values));
    if (shards_weights(shard)) {
        stage.gathered_bytes = gathered_bytes(part, values);
        const auto blocks = std::ssize(net::ArenaDivision(part, data.ranks).blocks());
        stage.gather_s = hand_out_seconds(links.data, data, blocks, stage.gathered_bytes);
        if (layout.offload != Offload::none)
            stage.gather_s += static_cast<double>(bytes) / data.ranks / links.offload;
    }
    const schedule::LeafCounts leaves = workload_.leaves(layout, which);
    const double added_s = adding_seconds(links.rates, bytes);
    stage.backward_weights_s += added_s * (1 - 1 / static_cast<double>(leaves.per_pass));
    if (workload_.served_model) {
        add_servers(stage, *workload_.served_model, workload_.served_net(layout, which), bytes,
                    links.of_rank, machine_);
        return stage;
    }
    const std::int64_t more_terms = std::int64_t{leaves.passes} * layout.replicas - 1;
    stage.reduce_s += adding_seconds(links.of_rank, bytes) * static_cast<double>(more_terms);
    const int owners = shard == ShardLevel::none ? 1 : data.ranks;
    stage.step_s = update_seconds(links.of_rank, workload_[which].kept(), bytes / owners);
    // Read and written whole, as if nothing of it stayed in memory.
    const auto kept = planner::net_memory(part, leaves, workload_[which].kept(), values, data);
    stage.step_s += static_cast<double>(2 * kept.offloaded) / links.offload;
    return stage;
}

void CostModel::add_sums(schedule::StageCosts& stage, const ExecutionLayout& layout, NetId which,
                         const net::NetDescription& part, std::span<const LayerTimes> times,
                         const Links& links) const {
    const DataAxis data = data_axis(layout);
    const bool leaves = shards_gradients(level_among(data.ranks, data.shard));
    const int sums = leaves ? 1 : workload_.leaves(layout, which).passes;
    double& waited_s = leaves ? stage.backward_weights_s : stage.reduce_s;
    std::vector<schedule::LayerWork> work;
    for (const LayerTimes& t : times) work.push_back({t.backward_input_s, t.backward_weights_s});
    for (const net::ArenaBlock& block : net::summed_blocks(part, data.ranks, leaves)) {
        const std::int64_t bytes = block.elements.count * value_bytes().master;
        const double sent_s = send_seconds(links.data, data, bytes);
        waited_s += sums * read_seconds(links.data, links.of_rank, data, bytes);
        if (layout.sums_behind)
            work.at(static_cast<std::size_t>(block.layers.begin)).sum_s = sent_s;
        else
            waited_s += sums * sent_s;
    }
    stage.sums = schedule::sum_costs(work);
}

NetMemory CostModel::net_memory(const net::NetDescription& local, const ExecutionLayout& layout,
                                NetId which) const {
    return planner::net_memory(local, workload_.leaves(layout, which), workload_[which].kept(),
                               value_bytes(), data_axis(layout));
}

std::int64_t CostModel::reduced_bytes(const ExecutionLayout& layout, const schedule::Costs& costs,
                                      PipeCoordinate coordinate) const {
    if (workload_.served_model) return workload_.most_traffic(layout).sum();
    const DataAxis data = data_axis(layout);
    const auto beyond = [&](std::int64_t bytes) { return bytes * ranks_beyond(data) / data.ranks; };
    const auto gathered = schedule::gather_traffic(layout.schedule, coordinate, costs);
    std::int64_t reduced = beyond(gathered) / data.ranks_of_node;
    for (const NetId which : workload_.graph.net_ids()) {
        const auto local = workload_.local_layers(layout, which, coordinate);
        const schedule::LeafCounts leaves = workload_.leaves(layout, which);
        const std::int64_t bytes = net::parameter_count(local) * value_bytes().master;
        const std::int64_t sums =
            leaves.passes * (shards_gradients(layout.shard) ? leaves.per_pass : 1);
        reduced += beyond(sums * bytes);
        if (!shards_weights(layout.shard))
            reduced += beyond(handed_out(bytes, data, value_bytes())) / data.ranks_of_node;
    }
    return reduced;
}

}  // namespace civitas::planner
