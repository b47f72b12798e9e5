#pragma once
/// A training step on paper: stages, times, memory and traffic of a mesh and a schedule, before
/// anything runs.
#include "layout.hpp"
#include "rank_memory.hpp"

#include "civitas/parallel/traffic.hpp"

#include <vector>

namespace civitas::train {

struct Plan {
    Setting setting;  ///< mesh, schedule, placement and stages
    LayerSeconds seconds;
    parallel::Costs costs;
    parallel::Simulation step;
    std::vector<RankMemory> memory;                    ///< by pipe coordinate
    std::vector<std::int64_t> reduced_bytes;           ///< likewise: sent along the data axis
    std::vector<parallel::ExchangeTraffic> exchanges;  ///< of a rank, by pipe coordinate
    std::vector<parallel::CutTraffic> cuts;            ///< of one pipe

    [[nodiscard]] double seconds_of_step() const { return step.makespan_s; }
    /// Of the rank that needs most.
    [[nodiscard]] std::int64_t peak_bytes() const;
};

/// Lays out the mesh and cuts its nets. Throws UsageError for what does not fit: batch, schedule,
/// stages.
[[nodiscard]] Plan make_plan(const Configuration& configuration, MeshShape mesh,
                             const Resources& resources, LayerSeconds seconds,
                             Effort effort = Effort::search);
/// Of a setting that is laid out and cut.
[[nodiscard]] Plan plan_of(const Configuration& configuration, Setting setting,
                           const Resources& resources, LayerSeconds seconds);

}  // namespace civitas::train
