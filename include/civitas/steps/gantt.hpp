#pragma once
/// A planned step as a picture.
#include "civitas/planner/step_plan.hpp"
#include "civitas/report/gantt.hpp"

namespace civitas::steps {

/// The simulated step, a row for each pipe coordinate.
[[nodiscard]] report::Gantt gantt_of(const planner::StepPlan& plan,
                                     const planner::Problem& problem);

}  // namespace civitas::steps
