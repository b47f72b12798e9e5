#pragma once
/// A plan in words, tables and pictures.
#include "civitas/planner/step_plan.hpp"
#include "civitas/report/gantt.hpp"

#include <string>

namespace civitas::app {

/// Stages with their layers, step and memory of each coordinate, traffic.
[[nodiscard]] std::string to_text(const planner::StepPlan& plan, const planner::CostModel& model);

/// The simulated step, a row for each pipe coordinate.
[[nodiscard]] report::Gantt gantt_of(const planner::StepPlan& plan,
                                     const planner::Problem& problem);

}  // namespace civitas::app
