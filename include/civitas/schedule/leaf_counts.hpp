#pragma once
/// Gradients of single micro-batches, counted.
#include <cstdint>

namespace civitas::schedule {

/// How many leaves every layer gets in a step: G has one pass, D two (real, fake).
struct LeafCounts {
    std::int64_t per_pass = 1;  ///< this rank's micro-batches
    int passes = 1;
};

}  // namespace civitas::schedule
