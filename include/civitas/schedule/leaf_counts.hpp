#pragma once
/// Gradients of single micro-batches, counted.
#include <cstdint>

namespace civitas::schedule {

/// How many leaves every layer of a net gets in a step: one for each micro-batch in each pass with
/// weights.
struct LeafCounts {
    std::int64_t per_pass = 1;  ///< this rank's micro-batches
    int passes = 1;             ///< of the net, with weights
};

}  // namespace civitas::schedule
