#pragma once
/// What a run tells at its end.
#include "civitas/steps/run.hpp"
#include "civitas/steps/step_runner.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace civitas::train {

class Summary {
public:
    explicit Summary(const steps::Run& run) : run_(run) {}

    void add(const report::StepRecord& record);
    /// Median of the steps that count, when there are exactly so many of them.
    [[nodiscard]] std::optional<double> typical_seconds(std::int64_t steps) const;
    /// Collective; `seconds` since the start. The same on all ranks.
    [[nodiscard]] std::vector<std::string> lines(const steps::StepRunner& runner,
                                                 const runs::RunState& state, double seconds) const;

private:
    [[nodiscard]] std::string tiles_line(const steps::StepRunner& runner, double seconds) const;
    [[nodiscard]] std::vector<std::string> cut_lines() const;
    /// What was planned beside what was measured: a step, its bubble, memory.
    [[nodiscard]] std::vector<std::string> plan_lines(const steps::StepRunner& runner,
                                                      const runs::RunState& state) const;

    /// Of a step, but for the first one. Precondition: there are others.
    [[nodiscard]] double measured_seconds() const;
    [[nodiscard]] std::vector<std::string> memory_lines(const steps::StepRunner& runner,
                                                        const runs::RunState& state) const;

    /// Who made steps alone, and how stale they were.
    [[nodiscard]] std::vector<std::string> async_lines() const;

    const steps::Run& run_;
    std::map<std::int64_t, std::int64_t> steps_of_rank_,
        staleness_;  ///< steps, of those made alone
    std::int64_t steps_ = 0;
    std::vector<double> step_s_;
    double bubbles_ = 0;                    ///< sum over steps
    std::vector<report::CutFigures> cuts_;  ///< bytes of a step, waits of all but the first
};

}  // namespace civitas::train
