#pragma once
/// A plan in words, tables and pictures.
#include "plan.hpp"

#include "civitas/report/gantt.hpp"

#include <string>

namespace civitas::train {

/// Stages with their layers, step and memory of each coordinate, traffic.
[[nodiscard]] std::string to_text(const Plan& plan, const Configuration& configuration,
                                  const Resources& resources);

/// The simulated step, a row for each pipe coordinate.
[[nodiscard]] report::Gantt gantt_of(const Plan& plan, const Configuration& configuration);

}  // namespace civitas::train
