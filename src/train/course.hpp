#pragma once
/// How a run gets from one place where its files are written to the next.
#include "civitas/steps/step_runner.hpp"

#include <functional>
#include <utility>

namespace civitas::train {

/// Who is told of steps, and asked what is to come after them.
struct StepListener {
    std::function<tasks::BetweenSteps()> next;  ///< see StepRunner::step
    /// Told of each step that has ended, as StepEnd has it, in the order in which they end.
    std::function<void(report::StepRecord)> ended;
};

class Course {
public:
    Course() = default;
    Course(const Course&) = delete;
    Course& operator=(const Course&) = delete;
    Course(Course&&) = delete;
    Course& operator=(Course&&) = delete;
    virtual ~Course() = default;

    /// Makes one step or several, up to step number `limit` or less. Returns what is to come after
    /// them.
    [[nodiscard]] virtual tasks::BetweenSteps advance(steps::StepRunner& runner, std::int64_t limit,
                                                      const StepListener& listener) = 0;
    /// Whether the state is that after the last step that was made.
    [[nodiscard]] virtual bool state_is_whole(const steps::StepRunner& runner) const = 0;
    /// When all is saved, before the run says that it was stopped on request: returns when no rank
    /// can have been lost, of which a launcher tells the others by the same signal.
    virtual void confirm_stop() {}
};

/// Steps that all ranks make together, one at a time.
class SyncCourse final : public Course {
public:
    [[nodiscard]] tasks::BetweenSteps advance(steps::StepRunner& runner, std::int64_t /*limit*/,
                                              const StepListener& listener) override {
        steps::StepEnd end = runner.step(listener.next);
        listener.ended(std::move(end.record));
        return end.next;
    }
    [[nodiscard]] bool state_is_whole(const steps::StepRunner& runner) const override {
        return runner.state_is_whole();
    }
};

}  // namespace civitas::train
