#pragma once
/// What a run learns of a store.
#include "civitas/data/tile_store.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/tasks/objective.hpp"

#include <c10/core/Device.h>
#include <memory>

namespace civitas::steps {

/// The objective of the task of a configuration, for a rank that computes on `device`. Throws
/// UsageError where the store has nothing for the task.
[[nodiscard]] std::shared_ptr<const tasks::Objective> objective_of(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters,
    const data::TileStore& store, at::Device device);

}  // namespace civitas::steps
