#pragma once
/// How often weights are there that all ranks of the data axis have whole.
#include <string_view>

namespace civitas {

/// One copy a node, in memory that its ranks share, or one a rank. What a node has once its ranks
/// also update together, each its part, at any shard level.
enum class WeightCopies { node, rank };

[[nodiscard]] WeightCopies parse_weight_copies(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(WeightCopies copies);

}  // namespace civitas
