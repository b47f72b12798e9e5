#pragma once
/// How the nets of a run are cut into stages.
#include "civitas/net/partition.hpp"
#include "civitas/planner/cost_model.hpp"

namespace civitas::planner {

/// How long to search: to see whether something fits into memory, whatever time it takes, or
/// whether it can be at all, to compare many meshes, to run one.
enum class SearchBudget { fit, check, compare, search };

/// Chooses stages for a layout that has all but these and its messages: the user's own, or those
/// with which the simulated step is shortest, of those the search meets that begins with equal
/// shares. What needs more memory than a rank has is taken only where nothing else is met. Throws
/// UsageError for more stages than layers, for numbers that do not fit, and for times that are
/// none.
[[nodiscard]] net::PricedStages choose_stages(const CostModel& model, const LayoutOptions& options,
                                              ExecutionLayout layout, SearchBudget budget);

}  // namespace civitas::planner
