#pragma once
/// Layouts of ranks that each keep a part of the weights.
#include "civitas/planner/workload.hpp"

#include <optional>

namespace civitas::planner {

/// The layout with what --shard parameters asks for, and itself under any other level or with one
/// rank along the data axis: every stage is split into its blocks (a convolution with what follows
/// it, a unit of FSDP, arXiv:2304.11277), and their weights are gathered when they are needed and
/// dropped after. A table that says itself when they are is left as it is.
[[nodiscard]] ExecutionLayout with_sharded_weights(ExecutionLayout layout,
                                                   const Workload& workload);

/// The stages of nets under a table of that kind, made above and read again; none under another.
[[nodiscard]] std::optional<StagesOfNets> named_units(const schedule::Schedule& table,
                                                      const Workload& workload);

}  // namespace civitas::planner
