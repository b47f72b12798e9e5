#pragma once
/// The history of steps that a run folder holds.
#include "civitas/runs/run_state.hpp"
#include "civitas/steps/run.hpp"

namespace civitas::train {

/// Makes what this start goes on from, or begins, the one history of its folder: what belongs to
/// another course is set aside, config.ini is written. Whenever it is ended before it has returned,
/// a later start of the folder goes on from a checkpoint with the metrics of its own course, or
/// begins anew. Collective; throws AgreedError.
void begin_history(const steps::Run& run, runs::RunState& state);

}  // namespace civitas::train
