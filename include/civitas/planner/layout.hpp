#pragma once
/// Who runs what: the table of actions, where the stages of all nets are, and their layers.
#include "civitas/planner/stage_search.hpp"

namespace civitas::planner {

struct LaidOut {
    ExecutionLayout layout;
    std::int64_t lacking_bytes = 0;  ///< of all coordinates of the pipe together: 0 when all fit
};

/// Makes a layout on a mesh of all ranks of the model, whose batch has been checked. Where the
/// options leave a choice, the one whose simulated step is shortest of those that fit into a rank's
/// memory; by SearchBudget::check and search with the order of its messages. Throws UsageError for
/// a schedule or stages that do not fit, and with that order for a table in which the ranks cannot
/// meet.
[[nodiscard]] LaidOut lay_out(const CostModel& model, const LayoutOptions& options, MeshShape mesh,
                              SearchBudget budget);

/// Whether ranks compute on GPUs: the options say so, or the machine has some.
[[nodiscard]] bool computes_on_gpus(const CostModel& model, const LayoutOptions& options);

/// The layout with another shard level, without an order of messages. Precondition: it gathers no
/// weights.
[[nodiscard]] ExecutionLayout with_shard_level(ExecutionLayout layout, ShardLevel level,
                                               const Workload& workload);

}  // namespace civitas::planner
