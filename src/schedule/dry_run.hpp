#pragma once
/// A table run without a machine: what has been done, and when each coordinate is free.
#include "dependencies.hpp"
#include "gathered_stages.hpp"
#include "sum_times.hpp"

#include "civitas/schedule/simulator.hpp"

#include <optional>
#include <vector>

namespace civitas::schedule {

class DryRun {
public:
    DryRun(const Schedule& schedule, std::int64_t micro_batches, const Costs& costs);

    /// The first thing the action needs that is not done.
    [[nodiscard]] std::optional<Completion> unmet(const Action& action,
                                                  PipeCoordinate coordinate) const;
    /// When the action can begin; nothing while a dependency is unmet.
    [[nodiscard]] std::optional<double> begin_of(const Action& action,
                                                 PipeCoordinate coordinate) const;
    /// False while a dependency is unmet.
    bool perform(const Action& action, PipeCoordinate coordinate);

    /// In the order they were performed.
    [[nodiscard]] const std::vector<Span>& spans() const noexcept { return spans_; }

private:
    [[nodiscard]] double seconds_of(const Action& action, PipeCoordinate coordinate) const;
    [[nodiscard]] double arrival(const Completion& completion, double done,
                                 PipeCoordinate coordinate) const;

    const StepGraph& graph_;
    const Costs& costs_;
    StagePlacement placement_;
    Dependencies dependencies_;
    Completions done_;
    std::vector<double> free_;  ///< by coordinate
    GatherTimes gathers_;
    SumTimes sums_;
    LocalMicroBatch last_micro_;
    std::vector<Span> spans_;
};

/// Runs each coordinate's list as far as it goes. Returns how many actions of each were done.
std::vector<std::size_t> run(const Schedule& schedule, DryRun& dry_run);

}  // namespace civitas::schedule
