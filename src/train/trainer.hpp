#pragma once
/// A training run from start to end.
#include "step_runner.hpp"
#include "summary.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/report/metrics.hpp"

#include <functional>
#include <optional>

namespace civitas::train {

/// Takes a state from the step it has reached to the last; keeps the run folder.
class Trainer {
public:
    Trainer(const Run& run, RunState& state, StopSignals& signals);

    /// Collective. Returns `stopped` when a signal or --max-minutes ended the run early.
    /// An error that leaves the last step's state whole is thrown after that has been saved.
    [[nodiscard]] Exit run_all();

private:
    [[nodiscard]] Exit run_course();
    /// What the start before this one did not come to: the sheet of the step it had reached.
    void make_good();
    void open_metrics();
    /// Root only work that must not end the step: its first error ends the run at the next meeting.
    void attempt(const std::function<void()>& work);
    void save();
    void save_what_is_whole();
    [[nodiscard]] report::StepRecord one_step();
    void report(const report::StepRecord& record);
    void keep_files();
    /// Whether to stop; where the ranks meet before a step. Throws AgreedError for what an attempt
    /// has met with, or when there is no room for what the step has to tell.
    [[nodiscard]] bool stop_requested();
    [[nodiscard]] Exit conclude(bool stopped);

    const Run& run_;
    RunState& state_;
    StopSignals& signals_;
    double tiles_;        ///< to learn from
    std::int64_t steps_;  ///< of the whole run
    std::int64_t first_;  ///< steps done before this start
    StepRunner runner_;
    std::optional<report::MetricsFile> metrics_;  ///< root only
    Summary summary_;
    comm::Outcome trouble_;
    double smooth_seconds_ = 0;
    Stopwatch since_start_;
};

}  // namespace civitas::train
