#pragma once
/// A training run from start to end.
#include "course.hpp"
#include "epochs.hpp"
#include "summary.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/report/metrics.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace civitas::train {

/// Takes a state from the step it has reached to the last; keeps the run folder.
class Trainer {
public:
    /// `poster`: is told what this rank does; null: nobody is.
    Trainer(const steps::Run& run, runs::RunState& state, StopSignals& signals, Course& course,
            tasks::Poster* poster = nullptr);

    /// Collective. Returns `stopped` when a signal or --max-minutes ended the run early.
    /// An error that leaves the last step's state whole is thrown after that has been saved.
    [[nodiscard]] Exit run_all();

private:
    [[nodiscard]] Exit run_course();
    /// What the start before this one did not come to: the sheet of the step it had reached.
    void make_good();
    void open_metrics();
    /// Root only work that must not end the step: its first error ends the run where the ranks meet
    /// next.
    void attempt(const std::function<void()>& work);
    /// Every line of the metrics that is not written yet.
    void write_lines();
    void keep_lines();
    /// Writes a checkpoint, in the background where that is asked for and steps are left.
    void save();
    /// The checkpoint of this step and any before it have their names when this returns.
    void save_now();
    /// Tells of an error, of which there is another one to be thrown.
    void try_to_save(const std::string& what, const std::function<void()>& save);
    void save_what_is_whole();
    /// The sheet of the step that is done, or a classifier's test.
    void draw();
    /// One step, or several, up to where files are due at the latest; tells of them. Collective.
    [[nodiscard]] tasks::BetweenSteps advance();
    /// The next step after which files are due.
    [[nodiscard]] std::int64_t next_stop() const;
    /// Fills in what a step does not know of itself.
    void complete(report::StepRecord& record);
    void report(const report::StepRecord& record);
    /// Checkpoints, sheets and traces that are due after a step. Returns whether it took the time
    /// that a checkpoint or a sheet takes. Collective.
    bool keep_files(const tasks::BetweenSteps& agreed);
    /// Whether the last tile of an epoch is in this step, which was or is made in this start.
    [[nodiscard]] bool ends_epoch(std::int64_t step) const {
        return step > first_ && epochs_.end_in(step);
    }
    /// Whether the sheet of a step is to be drawn, or a classifier tested: of one that is made in
    /// this start, or of that which the run goes on from.
    [[nodiscard]] bool is_looked_at(std::int64_t step) const;
    /// Of this rank, for the time after a step, the number of which is `done`. Sees to it that
    /// there is room for what the next one has to tell.
    [[nodiscard]] tasks::Wish wish(std::int64_t done);
    [[nodiscard]] tasks::BetweenSteps until_next_step();
    /// The wish that is granted where the ranks meet apart from steps. Collective.
    [[nodiscard]] tasks::Wish agreed_wish();
    /// Whether to stop. Throws AgreedError for what an attempt has met with. Collective.
    [[nodiscard]] bool is_to_stop(tasks::Wish granted) const;
    [[nodiscard]] Exit conclude(bool stopped);

    const steps::Run& run_;
    runs::RunState& state_;
    StopSignals& signals_;
    Course& course_;
    tasks::Poster* poster_;
    Epochs epochs_;
    std::int64_t steps_;  ///< of the whole run
    std::int64_t first_;  ///< steps done before this start
    steps::StepRunner runner_;
    std::optional<report::MetricsFile> metrics_;  ///< root only
    Summary summary_;
    std::deque<report::StepRecord> unwritten_;  ///< whose lines the metrics lack; root only
    comm::Outcome trouble_;
    double smooth_seconds_ = 0;  ///< a step, of all ranks together
    Stopwatch since_start_, since_save_;
};

}  // namespace civitas::train
