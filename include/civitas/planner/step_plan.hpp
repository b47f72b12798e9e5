#pragma once
/// A training step on paper: stages, times, memory and traffic of a mesh and a schedule, before
/// anything runs.
#include "civitas/planner/layout.hpp"
#include "civitas/planner/rank_memory.hpp"
#include "civitas/schedule/traffic.hpp"

#include <vector>

namespace civitas::planner {

struct StepPlan {
    ExecutionLayout layout;  ///< mesh, schedule, placement and stages
    LayerTimings timings;
    schedule::Costs costs;
    schedule::Simulation step;
    std::vector<RankMemory> memory;                    ///< by pipe coordinate
    std::vector<std::int64_t> reduced_bytes;           ///< likewise: sent along the data axis
    std::vector<schedule::ExchangeTraffic> exchanges;  ///< of a rank, by pipe coordinate
    std::vector<schedule::CutTraffic> cuts;            ///< of one pipe

    [[nodiscard]] double seconds_of_step() const { return step.makespan_s; }
    /// Of the rank that needs most.
    [[nodiscard]] std::int64_t peak_bytes() const;
};

/// Lays out the mesh and cuts its nets. Throws UsageError for what does not fit: batch, schedule,
/// stages.
[[nodiscard]] StepPlan make_plan(const Configuration& configuration, MeshShape mesh,
                                 const MachineModel& machine, LayerTimings timings,
                                 SearchBudget budget = SearchBudget::search);
/// Of a layout that is laid out and cut.
[[nodiscard]] StepPlan plan_of(const Configuration& configuration, ExecutionLayout layout,
                               const MachineModel& machine, LayerTimings timings);

}  // namespace civitas::planner
