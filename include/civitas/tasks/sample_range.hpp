#pragma once
/// Which samples a micro-batch of a step has.
#include "civitas/base/numbers.hpp"
#include "civitas/schedule/step_graph.hpp"

namespace civitas::tasks {

/// Samples first, first + 1, ... of a step in a pass, as many as the images of the batch.
struct SampleRange {
    StepIndex step{};
    schedule::PassId pass{};
    Sample first{};
};

}  // namespace civitas::tasks
