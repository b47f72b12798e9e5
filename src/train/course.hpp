#pragma once
/// How a run gets from one place where its files are written to the next.
#include "step_runner.hpp"

#include <vector>

namespace civitas::train {

/// Steps, and what is to come after them.
struct StepsEnd {
    std::vector<report::StepRecord> records;  ///< in order, as StepEnd has them
    tasks::BetweenSteps next;
};

class Course {
public:
    Course() = default;
    Course(const Course&) = delete;
    Course& operator=(const Course&) = delete;
    Course(Course&&) = delete;
    Course& operator=(Course&&) = delete;
    virtual ~Course() = default;

    /// Makes one step or several, up to step number `limit` or less. `next`: see StepRunner::step.
    [[nodiscard]] virtual StepsEnd advance(StepRunner& runner, std::int64_t limit,
                                           const std::function<tasks::BetweenSteps()>& next) = 0;
    /// Ranks that make steps at the same time, each its own.
    [[nodiscard]] virtual std::int64_t steps_at_once() const { return 1; }
    /// Whether the state is that after the last step that advance() has told of.
    [[nodiscard]] virtual bool state_is_whole(const StepRunner& runner) const = 0;
};

/// Steps that all ranks make together, one at a time.
class SyncCourse final : public Course {
public:
    [[nodiscard]] StepsEnd advance(StepRunner& runner, std::int64_t /*limit*/,
                                   const std::function<tasks::BetweenSteps()>& next) override {
        StepEnd end = runner.step(next);
        return {{std::move(end.record)}, end.next};
    }
    [[nodiscard]] bool state_is_whole(const StepRunner& runner) const override {
        return runner.state_is_whole();
    }
};

}  // namespace civitas::train
