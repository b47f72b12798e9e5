#pragma once
/// What of a net is divided over the ranks of the data axis.
#include <string_view>

namespace civitas {

/// The levels of ZeRO (arXiv:1910.02054), each with what the ones before it divide: the optimizer's
/// state, which is the moments of Adam and the mean of the weights; gradients; and the weights that
/// are computed with.
enum class ShardLevel { none, optimizer, gradients, parameters };

[[nodiscard]] ShardLevel parse_shard_level(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(ShardLevel level);

}  // namespace civitas
