#pragma once
/// What a run holds in memory: as it was planned, and as it is counted.
#include "civitas/steps/run.hpp"
#include "civitas/steps/step_runner.hpp"

#include "civitas/report/bytes.hpp"

namespace civitas::steps {

/// Of every rank by the plan.
[[nodiscard]] std::vector<planner::RankMemory> planned_memory(const Run& run);
/// Those parts of it that are counted, too.
[[nodiscard]] report::HeldBytes in_parts(const planner::RankMemory& memory);

/// What a rank holds of a net from step to step.
[[nodiscard]] report::HeldBytes held_by(const optim::ModelState& net);

/// Of the room where the ranks of a node gather weights, bytes that count as this rank's.
[[nodiscard]] std::int64_t gathered_share(const optim::GatherRoom& room,
                                          const comm::TensorCollectives& data);

/// Bytes of this rank as they are counted since the start; messages are those of the plan.
[[nodiscard]] report::HeldBytes counted_bytes(const Run& run, const StepRunner& runner,
                                              const runs::RunState& state);

}  // namespace civitas::steps
