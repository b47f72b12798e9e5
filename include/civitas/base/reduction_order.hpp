#pragma once
/// In which order gradients are summed.
#include <string_view>

namespace civitas {

/// `tree`: over the whole batch as one tree, so that every layout gives the same bits; `fast`: over
/// ranks in MPI's or NCCL's own order.
enum class Reduction { tree, fast };

[[nodiscard]] Reduction parse_reduction(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(Reduction reduction);

}  // namespace civitas
