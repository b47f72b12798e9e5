#pragma once
/// A step that fits into the memory of a rank.
#include "civitas/planner/step_plan.hpp"

#include <string>

namespace civitas::strategy {

struct Fitted {
    planner::StepPlan plan;
    planner::LayoutOptions options;  ///< as asked for, with what is dropped to fit
    std::string told;   ///< what is dropped unasked, and why; nothing when all fits as it is
    std::string lacks;  ///< what a rank needs, part by part, and has, when nothing fits: then
                        ///< the plan is as asked for
};

/// Lays out a mesh. Where a rank has too little memory, activations of redrawable passes are
/// dropped, then those of all stages, then both: first what costs least. What the user asked for
/// stays, and a user's own table as it is. Throws as lay_out does.
[[nodiscard]] Fitted fitted_plan(const planner::CostModel& model,
                                 const planner::LayoutOptions& options, MeshShape mesh,
                                 planner::SearchBudget budget = planner::SearchBudget::search);

}  // namespace civitas::strategy
