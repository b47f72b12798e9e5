#pragma once
/// Where passes over the training tiles end.
#include "civitas/tasks/samples_seen.hpp"

namespace civitas::train {

class Epochs {
public:
    /// `seen`: when the run was taken up. Of the steps before, the last alone is asked for, as one
    /// of a batch of this size.
    Epochs(std::int64_t tiles, std::int64_t batch, tasks::SamplesSeen seen)
        : tiles_(tiles), batch_(batch), seen_(seen) {}

    /// Passes after so many steps.
    [[nodiscard]] double after(std::int64_t steps) const {
        return static_cast<double>(seen_.before(StepIndex{steps}, batch_)) /
               static_cast<double>(tiles_);
    }
    /// Whether the last tile of an epoch is in this step, which counts from 1.
    [[nodiscard]] bool end_in(std::int64_t step) const { return whole(step) > whole(step - 1); }
    /// The first step after these in which an epoch ends.
    [[nodiscard]] std::int64_t next_end(std::int64_t steps) const {
        const std::int64_t seen = seen_.before(StepIndex{steps}, batch_);
        const std::int64_t left = (seen / tiles_ + 1) * tiles_ - seen;
        return steps + (left + batch_ - 1) / batch_;
    }

private:
    [[nodiscard]] std::int64_t whole(std::int64_t steps) const {
        return seen_.before(StepIndex{steps}, batch_) / tiles_;
    }

    std::int64_t tiles_;
    std::int64_t batch_;
    tasks::SamplesSeen seen_;
};

}  // namespace civitas::train
