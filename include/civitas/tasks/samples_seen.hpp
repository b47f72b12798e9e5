#pragma once
/// How far a run has followed the order of samples.
#include "civitas/base/numbers.hpp"

#include <cstdint>

namespace civitas::tasks {

/// How many samples a run had seen when it was taken up: their number does not follow from the
/// number of steps where --batch has changed.
struct SamplesSeen {
    StepIndex after{};       ///< steps done
    std::int64_t count = 0;  ///< samples of all of them
    /// How many samples have been seen before step `step`, which is not earlier.
    [[nodiscard]] std::int64_t before(StepIndex step, std::int64_t batch) const {
        return count + (index(step) - index(after)) * batch;
    }
};

}  // namespace civitas::tasks
