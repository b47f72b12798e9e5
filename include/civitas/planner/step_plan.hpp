#pragma once
/// A training step on paper: stages, times, memory and traffic of a mesh and a schedule, before
/// anything runs.
#include "civitas/planner/layout.hpp"
#include "civitas/schedule/traffic.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::planner {

struct StepPlan {
    ExecutionLayout layout;
    schedule::Costs costs;
    schedule::Simulation step;
    std::vector<RankMemory> memory;                    ///< by pipe coordinate
    std::vector<std::int64_t> reduced_bytes;           ///< sent along the data axis, by coordinate
    std::vector<schedule::ExchangeTraffic> exchanges;  ///< of a rank, by pipe coordinate
    std::vector<schedule::CutTraffic> cuts;            ///< of one pipe
    /// Where servers keep the weights: then all else is of one part of a step.
    std::optional<ServedModel> served = {};

    /// Where servers keep the weights, of all parts of a step.
    [[nodiscard]] double seconds_of_step() const;
    /// Of the rank that needs most. Precondition: the memory of some rank is known.
    [[nodiscard]] const RankMemory& largest_memory() const;
    /// Bytes at the peak of the rank that needs most.
    [[nodiscard]] std::int64_t peak_bytes() const { return largest_memory().sum(); }
};

/// Lays out a mesh and plans its step. Throws UsageError for what does not fit: batch, schedule,
/// stages.
[[nodiscard]] StepPlan make_plan(const CostModel& model, const LayoutOptions& options,
                                 MeshShape mesh, SearchBudget budget = SearchBudget::search);

/// Plans the step of a layout whose stages are chosen already.
[[nodiscard]] StepPlan plan_of(const CostModel& model, ExecutionLayout layout);

/// The same with an empty `step`, for those who ask for memory first: simulating takes longest.
[[nodiscard]] StepPlan plan_without_times(const CostModel& model, ExecutionLayout layout);

/// Seconds, bytes and bubble in a line, `a step should take 0.27 s and 331 MB a rank`.
[[nodiscard]] std::string in_words(const StepPlan& plan);

}  // namespace civitas::planner
