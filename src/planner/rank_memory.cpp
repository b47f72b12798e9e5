#include "civitas/planner/rank_memory.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/saved_numbers.hpp"
#include "civitas/planner/cost_model.hpp"
#include "civitas/schedule/traffic.hpp"

#include <algorithm>
#include <utility>

namespace civitas::planner {

using schedule::NetId;

namespace {

/// Measured: 97 MB of mapped libraries, what MPI, libtorch and the threads have for themselves, and
/// freed pieces between others that the allocator keeps.
constexpr std::int64_t process_bytes = 180'000'000;

/// Samples are read as fp32. `slots`: micro-batches.
std::int64_t loader_bytes(const Workload& workload, const WorkloadNet& net, std::int64_t slots) {
    const auto sample = net.description.input.elements();
    return slots * workload.micro_batch * sample * static_cast<std::int64_t>(sizeof(float));
}

/// Micro-batches read ahead and in use; on a GPU all of a step and of the next.
std::int64_t slots_for(const Workload& workload, const ExecutionLayout& layout, bool gpu) {
    if (gpu) return 2 * workload.micro_batches() / layout.mesh[Axis::data];
    return layout.replicas * (std::int64_t{micro_batches_ahead} + 1);
}

/// Copy of what a rank writes of a checkpoint, or the rank that writes most.
std::int64_t staging_bytes(const Workload& workload, const WorkloadNet& net,
                           const net::NetDescription& local, DataAxis data) {
    if (!workload.copies_checkpoints) return 0;
    const ShardLevel shard = level_among(data.ranks, data.shard);
    const net::ArenaDivision division(local, data.ranks);
    net::Replica replica{.number = data.place ? data.place->rank : 0,
                         .divides_weights = shards_weights(shard),
                         .divides_optimizer = shard != ShardLevel::none,
                         .has_mean = net.has_mean,
                         .moments = net.moments,
                         .writes_whole = !data.place || data.place->first_of_tensor};
    std::int64_t most = 0;
    do {
        most = std::max(most, net::saved_numbers(local, division, data.ranks, replica));
    } while (!data.place && ++replica.number < data.ranks);
    return most * value_bytes(workload.precision).master;
}

/// Most that a layer takes, of so many copies of its input and output, and of its weights.
std::int64_t most_of_a_layer(const net::NetDescription& local, const Workload& workload,
                             int images_of, int weights_of) {
    const auto values = value_bytes(workload.precision);
    const auto shapes = net::shapes_of(local);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < local.layers.size(); ++i) {
        std::int64_t weights = 0;
        for (const auto& p : net::parameters_of(local.layers[i])) weights += p.elements();
        const auto images =
            workload.micro_batch * (shapes[i].elements() + shapes[i + 1].elements());
        most = std::max(most,
                        images_of * images * values.compute + weights_of * weights * values.master);
    }
    return most;
}

/// Most that a layer needs for itself: gradients of its output and its input and a copy of either
/// in another order; a convolution's weights in another order, and the gradient that W makes of
/// them.
std::int64_t scratch_bytes(const net::NetDescription& local, const Workload& workload) {
    return most_of_a_layer(local, workload, 3, 2);
}

/// With what it keeps for ranks that it shares a net with; of one that is its own `own`.
NetMemory with_others(const Workload& workload, const ExecutionLayout& layout, NetId which,
                      NetMemory own) {
    if (workload.shared_model) return net_memory_of(*workload.shared_model, own);
    if (!workload.served_model) return own;
    return net_memory_of(*workload.served_model, workload.served_net(layout, which), own);
}

/// What a part of a step takes is needed as often as parts are begun; messages come beside that.
void add_served(RankMemory& memory, const Workload& workload, const ExecutionLayout& layout) {
    const ServedModel& served = *workload.served_model;
    const std::int64_t at_once = served.parts_at_once();
    memory.activations *= at_once;
    memory.loader *= at_once;
    memory.scratch *= std::min<std::int64_t>(at_once, 1);
    std::int64_t passing = 0;
    std::int64_t published = 0;
    for (const NetId which : workload.graph.net_ids()) {
        const ServedNet net = workload.served_net(layout, which);
        memory.messages += expected_bytes(served, net);
        passing = std::max(passing, passing_bytes(served, net));
        published += published_bytes(served, net);
    }
    // What a run begins with is shared before any layer computes.
    memory.scratch = std::max(memory.scratch + passing, published);
}

/// Of the largest stage.
std::int64_t scratch_bytes(const Workload& workload, const ExecutionLayout& layout,
                           PipeCoordinate coordinate) {
    std::int64_t most = 0;
    for (const NetId which : workload.graph.net_ids())
        for (const StageId stage : layout.placement.stages_of(which, coordinate)) {
            const Range layers = layout.stages_of(which).at(static_cast<std::size_t>(stage));
            most =
                std::max(most, scratch_bytes(workload.local_part(layout, which, layers), workload));
        }
    return most;
}

}  // namespace

RankMemory CostModel::memory(const ExecutionLayout& layout, const schedule::Costs& costs,
                             PipeCoordinate coordinate) const {
    return memory(layout, costs, coordinate, data_axis(layout));
}

RankMemory CostModel::memory(const ExecutionLayout& layout, const schedule::Costs& costs,
                             Rank rank) const {
    const Coordinate at = layout.mesh.coordinate(rank);
    DataAxis data = data_axis(layout);
    data.place = {.rank = at[Axis::data], .first_of_tensor = at[Axis::tensor] == 0};
    if (data.ranks_of_node > 1) {
        const NodeMap group = nodes_.of(layout.mesh.group(rank, Axis::data));
        const Rank here{at[Axis::data]};
        data.ranks_of_node = static_cast<int>(group.beside(here).size());
        data.place->on_node = static_cast<int>(group.place_on_node(here));
    }
    return memory(layout, costs, at.pipe(), data);
}

RankMemory CostModel::memory(const ExecutionLayout& layout, const schedule::Costs& costs,
                             PipeCoordinate coordinate, DataAxis data) const {
    const int of_node = machine_.ranks_of_node(ranks()) * layout.replicas, gpus = machine_.gpus;
    if (gpus > 0) data.replicas = std::min(data.replicas, (of_node + gpus - 1) / gpus);
    RankMemory memory;
    memory.offload = layout.offload;
    std::int64_t staging = 0;
    for (const NetId which : workload_.graph.net_ids()) {
        const auto local = workload_.local_layers(layout, which, coordinate);
        const OptimizerArrays kept = workload_[which].kept();
        const NetMemory own =
            planner::net_memory(local, workload_.leaves(layout, which), kept, value_bytes(), data);
        memory.nets += with_others(workload_, layout, which, own);
        staging += staging_bytes(workload_, workload_[which], local, data);
        memory.window = std::max(memory.window, offload_window(local, kept, value_bytes(), data));
    }
    const auto peak = schedule::memory_peak(layout.schedule, coordinate, costs);
    std::int64_t gathered = peak.gathered_bytes;
    if (data.ranks_of_node > 1) {
        const auto room = schedule::gather_room(layout.schedule, coordinate, costs);
        gathered = share_of_node(room, data.ranks_of_node);
        memory.nets.shared += gathered;
    }
    memory.nets.parameters += gathered;
    memory.activations = data.replicas * peak.bytes;
    memory.messages = schedule::message_bytes(layout.schedule, coordinate, costs);
    memory.scratch = data.replicas * scratch_bytes(workload_, layout, coordinate);
    const std::int64_t slots = slots_for(workload_, layout, machine_.gpus > 0);
    for (const NetId which : workload_.graph.net_ids())
        if (workload_[which].reads_ahead &&
            layout.placement.coordinate_of(which, first_stage) == coordinate)
            memory.loader += loader_bytes(workload_, workload_[which], slots);
    if (machine_.gpus > 0) return memory;
    memory.staging = staging;
    memory.process = process_bytes;
    if (workload_.served_model) add_served(memory, workload_, layout);
    return memory;
}

std::int64_t most_beside(const Workload& workload, const ExecutionLayout& layout) {
    std::int64_t scratch = 0;
    std::int64_t loader = 0;
    std::int64_t staging = 0;
    for (const NetId which : workload.graph.net_ids()) {
        const WorkloadNet& net = workload[which];
        const Range all{0, std::ssize(net.description.layers)};
        const auto local = workload.local_part(layout, which, all);
        scratch = std::max(scratch, scratch_bytes(local, workload));
        staging += staging_bytes(workload, net, local, data_axis(layout));
        if (net.reads_ahead)
            loader += loader_bytes(workload, net, slots_for(workload, layout, false));
    }
    return process_bytes + loader + layout.replicas * scratch + staging;
}

std::int64_t timing_bytes(const Workload& workload) {
    std::int64_t most = 0;
    for (const WorkloadNet& net : workload.nets)
        most = std::max(most, most_of_a_layer(net.description, workload, 4, 5));
    return process_bytes + most;
}

std::string in_words(const RankMemory& memory) {
    std::string words = megabytes(memory.sum());
    std::string between = ": ";
    for (const auto& [name, bytes] : {std::pair{"weights, moments and sums", memory.nets.sum()},
                                      {"saved activations", memory.activations},
                                      {"message buffers", memory.messages},
                                      {"loader", memory.loader},
                                      {"scratch", memory.scratch},
                                      {"window of what is offloaded", memory.window},
                                      {"copy for checkpoints", memory.staging},
                                      {"process", memory.process}})
        if (bytes > 0) words += text(std::exchange(between, ", "), name, ' ', megabytes(bytes));
    if (memory.nets.offloaded > 0)
        words += text("; ", place_of(memory.offload), ' ', megabytes(memory.nets.offloaded));
    return words;
}

}  // namespace civitas::planner
