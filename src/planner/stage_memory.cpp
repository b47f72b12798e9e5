#include "stage_memory.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/net/arena_slices.hpp"
#include "civitas/net/layer_kinds.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <algorithm>
#include <utility>

namespace civitas::planner {
namespace {

/// The tensor before each layer and after the last, as the place where it was made: an exchange
/// that has nothing to move in F hands on what it gets.
std::vector<std::size_t> tensors_of(const net::NetDescription& stage) {
    std::vector<std::size_t> tensors{0};
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
        const auto* exchange = net::redistribute_of(stage.layers[i]);
        const bool hands_on =
            exchange != nullptr && exchange->before.value == exchange->after.value;
        tensors.push_back(hands_on ? tensors[i] : i + 1);
    }
    return tensors;
}

/// By place: whether F saves the tensor made there.
std::vector<bool> saved_of(const net::NetDescription& stage,
                           const std::vector<std::size_t>& tensors) {
    std::vector<bool> saved(tensors.size());
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
        const auto& layer = stage.layers[i];
        if (net::convolves(layer) || net::normalised_channels(layer) > 0) saved[tensors[i]] = true;
        if (net::activates(layer)) saved[tensors[i + 1]] = true;
    }
    return saved;
}

std::int64_t normalised_channels(const net::NetDescription& stage) {
    std::int64_t channels = 0;
    for (const auto& layer : stage.layers) channels += net::normalised_channels(layer);
    return channels;
}

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
    const auto tensors = tensors_of(stage);
    const auto saved = saved_of(stage, tensors);
    KeptEnds ends{.saves_input = saved.front(), .saves_output = saved[tensors.back()]};
    for (std::size_t i = 0; i < stage.layers.size(); ++i)
        if (tensors[i] == 0 && net::convolves(stage.layers[i])) ends.holds_input = true;
    return ends;
}

std::int64_t saved_bytes(const net::NetDescription& stage, std::int64_t micro_batch,
                         ValueBytes values) {
    constexpr std::int64_t of_batch_norm = 4;  // mean, deviation; mean and variance to be observed
    const auto shapes = net::shapes_of(stage);
    const auto saved = saved_of(stage, tensors_of(stage));
    std::int64_t activations = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        if (saved[i]) activations += shapes[i].elements();
    return micro_batch * activations * values.compute +
           of_batch_norm * normalised_channels(stage) * values.master;
}

std::int64_t bytes_from_B_to_W(const net::NetDescription& stage, std::int64_t micro_batch,
                               ValueBytes values) {
    constexpr std::int64_t of_batch_norm = 4;  // two leaves; mean and variance to be observed
    const auto shapes = net::shapes_of(stage);
    std::int64_t activations = 0;
    for (std::size_t i = 0; i < stage.layers.size(); ++i)
        if (net::convolves(stage.layers[i]))
            activations += shapes[i].elements() + shapes[i + 1].elements();
    return micro_batch * activations * values.compute +
           of_batch_norm * normalised_channels(stage) * values.master;
}

std::int64_t gathered_bytes(const net::NetDescription& local, ValueBytes values) {
    const net::ArenaLayout layout(net::parameters_of(local));
    return net::compute_room(local, layout, {0, std::ssize(layout.slots())},
                             {.of_convolutions = values.compute, .of_others = values.master})
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
