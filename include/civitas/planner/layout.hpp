#pragma once
/// Who runs what: the table of actions, where the stages of both nets are, and their layers.
#include "civitas/planner/stage_search.hpp"

namespace civitas::planner {

/// Fills in schedule, placement and stages for the mesh of `layout`, whose batch has been checked.
/// Where the layout leaves a choice, the one whose simulated step is shortest of those that fit
/// into a rank's memory. Throws UsageError for a schedule or stages that do not fit. Returns how
/// many bytes the rank that has most too many has too many: 0 when all fit.
std::int64_t lay_out(ExecutionLayout& layout, const Configuration& configuration,
                     const MachineModel& machine, const LayerTimings& timings, SearchBudget budget);

}  // namespace civitas::planner
