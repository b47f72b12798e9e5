#include "stage_memory.hpp"

#include "stage_tensors.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/net/arena_slices.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <algorithm>
#include <utility>

namespace civitas::planner {
namespace {

/// Of one part, or of the largest.
std::int64_t elements_of(const net::ArenaDivision& division, std::optional<int> part) {
    return part ? division.owned_by(*part).count() : division.most();
}

/// Of the arena by a rank.
std::int64_t owned_elements(const net::NetDescription& local, DataAxis data) {
    if (level_among(data.ranks, data.shard) == ShardLevel::none)
        return net::ArenaLayout(net::parameters_of(local)).size();
    return elements_of({local, data.ranks},
                       data.place ? std::optional(data.place->rank) : std::nullopt);
}

}  // namespace

KeptEnds kept_ends(const net::NetDescription& stage) {
    const StageTensors tensors(stage);
    return {.saves_input = tensors.saves_input(),
            .holds_input = tensors.needs_input(),
            .saves_output = tensors.saves_output()};
}

std::int64_t saved_bytes(const net::NetDescription& stage, std::int64_t micro_batch,
                         ValueBytes values) {
    constexpr std::int64_t of_batch_norm = 4;  // mean, deviation; mean and variance to be observed
    const StageTensors tensors(stage);
    return micro_batch * (tensors.saved() * values.compute + tensors.masks()) +
           of_batch_norm * tensors.normalised_channels() * values.master;
}

std::int64_t bytes_from_B_to_W(const net::NetDescription& stage, std::int64_t micro_batch,
                               ValueBytes values) {
    constexpr std::int64_t of_batch_norm = 4;  // two leaves; mean and variance to be observed
    const StageTensors tensors(stage);
    return micro_batch * tensors.needed_by_weights() * values.compute +
           of_batch_norm * tensors.normalised_channels() * values.master;
}

std::int64_t gathered_bytes(const net::NetDescription& local, ValueBytes values) {
    const net::ArenaLayout layout(net::parameters_of(local));
    return net::compute_room(layout, {0, std::ssize(layout.slots())},
                             {.in_products = values.compute, .of_others = values.master})
        .size;
}

NetMemory& NetMemory::operator+=(const NetMemory& other) {
    parameters += other.parameters;
    gradients += other.gradients;
    moments += other.moments;
    mean += other.mean;
    offloaded += other.offloaded;
    masters += other.masters;
    shared += other.shared;
    return *this;
}

NetMemory net_memory(const net::NetDescription& local, schedule::LeafCounts leaves,
                     OptimizerArrays kept, ValueBytes values, DataAxis data) {
    const net::ArenaLayout layout(net::parameters_of(local));
    const std::int64_t arena = layout.size();
    const ShardLevel shard = level_among(data.ranks, data.shard);
    const std::int64_t owned = owned_elements(local, data);
    const bool in_node = data.ranks_of_node > 1;
    const std::int64_t room =
        shards_gradients(shard)
            ? net::leaf_room(layout, net::slots_of_layers(local),
                             net::leaves_in_use(data.ranks > data.ranks_of_node, in_node))
            : 0;
    const bool copied = values.compute < values.master;
    const std::int64_t levels = tree_depth(leaves.per_pass) + leaves.passes - 1;
    const std::int64_t summed = levels * (shards_gradients(shard) ? owned : arena) + room;
    const std::int64_t whole =
        elements_of({local, data.ranks_of_node},
                    data.place ? std::optional(data.place->on_node) : std::nullopt);
    const std::int64_t weights = shards_weights(shard)
                                     ? owned * values.master
                                     : whole * (values.master + (copied ? values.compute : 0));
    NetMemory memory{.parameters = weights,
                     .gradients = data.replicas * summed * values.master,
                     .moments = kept.moments * owned * values.master,
                     .mean = kept.mean ? owned * values.master : 0,
                     .masters = (shards_weights(shard) ? owned : whole) * values.master};
    if (in_node)
        memory.shared = (shards_weights(shard) ? 0 : weights) +
                        (shards_gradients(shard) ? room : summed) * values.master;
    if (data.offload == Offload::none) return memory;
    memory.offloaded = std::exchange(memory.moments, 0) + std::exchange(memory.mean, 0);
    if (shards_weights(shard)) memory.offloaded += std::exchange(memory.parameters, 0);
    return memory;
}

NetMemory net_memory_of(const SharedModel& shared, NetMemory own) {
    const std::int64_t moments = own.masters == 0 ? 0 : own.moments / own.masters;
    own.parameters += share_of_node(own.masters, shared.ranks);
    if (shared.moments == AsyncMoments::shared)
        own.moments = moments * share_of_node(own.masters, shared.ranks);
    own.mean = share_of_node(own.mean, shared.ranks);
    return own;
}

std::int64_t offload_window(const net::NetDescription& local, OptimizerArrays kept,
                            ValueBytes values, DataAxis data) {
    if (data.offload == Offload::none) return 0;
    const bool weights = shards_weights(level_among(data.ranks, data.shard));
    const int arrays = kept.count() + (weights ? 1 : 0);
    return arrays * std::min(offload_window_bytes, owned_elements(local, data) * values.master);
}

}  // namespace civitas::planner
