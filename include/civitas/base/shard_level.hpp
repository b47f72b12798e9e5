#pragma once
/// What of a net is divided over the ranks of the data axis.
#include "civitas/base/micro_batch.hpp"

#include <array>
#include <string_view>

namespace civitas {

/// The levels of ZeRO (arXiv:1910.02054), each with what the ones before it divide: the optimizer's
/// state, which is the moments of Adam and the mean of the weights; gradients; and the weights that
/// are computed with.
enum class ShardLevel { none, optimizer, gradients, parameters };
inline constexpr std::array every_shard_level{ShardLevel::none, ShardLevel::optimizer,
                                              ShardLevel::gradients, ShardLevel::parameters};

/// What of it is divided among so many ranks: one alone has nobody to share with.
[[nodiscard]] constexpr ShardLevel level_among(int ranks, ShardLevel level) {
    return ranks > 1 ? level : ShardLevel::none;
}
/// Whether a net's gradients are divided, and so every leaf among the owners of its slices.
[[nodiscard]] constexpr bool shards_gradients(ShardLevel level) {
    return level >= ShardLevel::gradients;
}
/// Whether a net's weights are divided, and gathered stage by stage when they are needed.
[[nodiscard]] constexpr bool shards_weights(ShardLevel level) {
    return level == ShardLevel::parameters;
}
/// Which micro-batches replicas take. Those that are computed at the same time are neighbours where
/// leaves are summed over replicas at once, so that the sums are those of one tree.
[[nodiscard]] constexpr Sharing sharing_of(ShardLevel level) {
    return shards_gradients(level) ? Sharing::round_robin : Sharing::contiguous;
}

[[nodiscard]] ShardLevel parse_shard_level(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(ShardLevel level);

}  // namespace civitas
