#pragma once
/// What a run folder says of the plan of its steps.
#include "civitas/steps/run.hpp"

namespace civitas::steps {

/// Writes plan.json and schedule.svg, in the place of those of the start before. Collective over
/// the mesh; throws AgreedError.
void keep_plan(const Run& run);

}  // namespace civitas::steps
