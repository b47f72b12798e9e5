#pragma once
/// Takes a run's state one step further: tiles in, the table of actions, figures out.
#include "civitas/runs/run_state.hpp"
#include "civitas/steps/run.hpp"
#include "civitas/steps/tracer.hpp"
#include "civitas/tasks/poster.hpp"

#include "civitas/data/loader.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/report/step.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/step_executor.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace civitas::steps {

class PassLaunch;

/// A step, and what is to come after it.
struct StepEnd {
    report::StepRecord record;  ///< everything but the count of steps and the time left
    tasks::BetweenSteps next;   ///< that all ranks know of
};

/// What came of a part of a step.
struct PartEnd {
    std::vector<double> figures;  ///< of its micro-batches: see tasks::values_of
    std::int64_t bytes = 0;       ///< resident memory now
    tasks::Wish wish = tasks::Wish::go_on;
};

class StepRunner {
public:
    using Next = std::function<tasks::BetweenSteps()>;

    /// Begins to read tiles, if all steps are made here. `poster`: is told what this rank does;
    /// null: nobody is.
    StepRunner(const Run& run, runs::RunState& state, tasks::Poster* poster = nullptr);
    StepRunner(const StepRunner&) = delete;
    StepRunner& operator=(const StepRunner&) = delete;
    ~StepRunner();

    /// Collective. Throws NonFiniteGradient saying pass and micro-batch, AgreedError for a loss
    /// that is not finite, a tile that cannot be read, and whatever fails on one rank where all can
    /// meet (see StepTask::fail_together); any other error where they cannot. `next` is asked for
    /// when this rank has done its part of the step.
    [[nodiscard]] StepEnd step(const Next& next);
    /// Step numbers (from 0) that step_at() is called with next, in order: their tiles are read
    /// meanwhile. Precondition, as of step_at(): not --update sync.
    void expect(std::span<const std::int64_t> steps);
    /// As step(), of the step number that is expected next, with the model as it is now, which
    /// ranks share. The time to get the model is communication of the step.
    [[nodiscard]] StepEnd step_at(std::int64_t done, const Next& next);
    /// Makes one part of step number `done`, by weights that servers keep. Throws as step().
    [[nodiscard]] PartEnd make_part(std::int64_t done, const MicroBatchShare& part,
                                    const Next& next);
    /// What all records of its steps have in common; their values are 0.
    [[nodiscard]] report::StepRecord like() const;
    /// Write what --trace asked for once that has been recorded. Collective; throws AgreedError.
    void keep_trace();
    /// Write what there is of it, unless that is done. Collective; throws AgreedError.
    void finish_trace();

    /// Messages along the pipe; null with one coordinate.
    [[nodiscard]] const comm::PointToPoint* transport() const noexcept {
        return steps_.transport();
    }
    /// Most bytes that lived between F, B and W.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept {
        return steps_.replicas().peak_bytes();
    }
    /// Most bytes of gathered weights that lived at once.
    [[nodiscard]] std::int64_t peak_gathered_bytes() const noexcept {
        return steps_.replicas().peak_gathered_bytes();
    }
    /// Most bytes of messages that were on their way here at once.
    [[nodiscard]] std::int64_t peak_message_bytes() const noexcept {
        return steps_.replicas().peak_message_bytes();
    }
    /// Whether what is held is the state after the last step. See StepTask.
    [[nodiscard]] bool state_is_whole() const { return steps_.task().state_is_whole(); }
    [[nodiscard]] double waited_for_tiles() const { return loader_ ? loader_->waited() : 0; }

private:
    /// An error of one rank is everybody's, and nothing is on its way then. `refreshed_s`: what it
    /// has taken to get the model.
    [[nodiscard]] tasks::StepResult run_step(const Next& next, double refreshed_s = 0);
    [[nodiscard]] StepEnd step_after(double refreshed_s, const Next& next);
    [[nodiscard]] report::StepRecord record_of(const tasks::StepResult& result) const;
    /// What --delay asks of this rank.
    void delay();
    void run_table();
    [[nodiscard]] std::string first_bad_leaf(const tasks::NonFiniteGradient& bad);
    /// Begin to prefetch the tiles of this step and, where all steps are made here, of those after
    /// it.
    void read_from(std::int64_t step);
    /// The first samples of this rank's micro-batches of a step and those after it.
    [[nodiscard]] std::function<Sample(std::int64_t)> samples_from(std::int64_t step) const;
    /// The micro-batch of tiles that a step takes next.
    [[nodiscard]] at::Tensor next_tiles();
    void expect_wanted();
    [[nodiscard]] bool makes_all_steps() const {
        return run_.configuration.update.kind == UpdateKind::sync;
    }

    const Run& run_;
    runs::RunState& state_;
    tasks::Poster* poster_;
    std::optional<data::Loader> loader_;  ///< where D's first stage is
    MicroBatchShare own_;                 ///< micro-batches that this rank makes of a step
    std::deque<Sample> wanted_;  ///< of steps that are expected: first samples of micro-batches
    std::unique_ptr<PassLaunch> launch_;
    tasks::StepExecutor steps_;
    std::optional<Tracer> tracer_;
    environment::ResidentMemory memory_;
    double flops_;
    double peak_flops_;
};

}  // namespace civitas::steps
