#pragma once
/// What a run holds in memory: as it was planned, and as it is counted.
#include "run.hpp"
#include "step_runner.hpp"

#include "civitas/report/bytes.hpp"

namespace civitas::train {

/// Of a rank by the plan.
[[nodiscard]] const planner::RankMemory& planned_memory(const Run& run, Rank rank);
/// Bytes of every rank by the plan.
[[nodiscard]] std::vector<report::HeldBytes> planned_bytes(const Run& run);

/// What a rank holds of a net from step to step.
[[nodiscard]] report::HeldBytes held_by(const optim::ModelState& net);

/// Bytes of this rank as they are counted since the start; messages are those of the plan.
[[nodiscard]] report::HeldBytes counted_bytes(const Run& run, const StepRunner& runner,
                                              const RunState& state);

}  // namespace civitas::train
