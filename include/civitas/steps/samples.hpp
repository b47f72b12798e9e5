#pragma once
/// The sheet of plans that shows what a run has learnt so far: the same noise every time.
#include "civitas/runs/run_state.hpp"
#include "civitas/steps/run.hpp"

namespace civitas::steps {

/// Draws it and writes its PNG into the run folder. Collective; throws AgreedError.
void keep_samples(const Run& run, runs::RunState& state);

}  // namespace civitas::steps
