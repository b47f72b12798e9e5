#pragma once
/// How the nets of a run are cut into stages.
#include "civitas/planner/cost_model.hpp"
#include "civitas/planner/partition.hpp"

namespace civitas::planner {

/// How long to search: to see whether something fits into memory, whatever time it takes, or
/// whether it can be at all, to compare many meshes, to run one.
enum class SearchBudget { fit, check, compare, search };

/// Fills in the stages of a layout whose schedule is known: the user's own, or those with which
/// the simulated step is shortest, of those the search meets that begins with equal shares. What
/// needs more memory than a rank has is taken only where nothing else is met. Throws UsageError for
/// more stages than layers, for numbers that do not fit, and for times that are none. Returns what
/// the cut comes to.
PartitionCost choose_stages(ExecutionLayout& layout, const Configuration& configuration,
                            const MachineModel& machine, const LayerTimings& timings,
                            SearchBudget budget);

}  // namespace civitas::planner
