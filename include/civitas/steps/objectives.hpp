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
    const planner::Configuration& configuration, const data::TileStore& store, at::Device device);

/// Whether the data say what nets there are: of a classifier, and where plans are asked to be like
/// sources.
[[nodiscard]] bool is_fitted_to_store(const planner::Problem& problem);

/// Takes from a store how many sources a condition tells apart, and what a classifier is not told:
/// how many classes there are, the size of its images, which is the store's or the largest part of
/// it up to 64 pixels that a power of two divides it into, and the coding of images. Throws
/// UsageError where it was told something else.
void fit_to_store(planner::Problem& problem, const data::TileStore& store);

}  // namespace civitas::steps
