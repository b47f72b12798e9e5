#pragma once
/// What a run tells when it begins.
#include "civitas/steps/run.hpp"

#include "civitas/runs/run_state.hpp"

namespace civitas::train {

/// Collective.
void report_start(const steps::Run& run, runs::RunState& state);

}  // namespace civitas::train
