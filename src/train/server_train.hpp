#pragma once
/// Training with weights that servers keep.
#include "civitas/train/train.hpp"

namespace civitas::train {

/// Runs the whole of `civitas train --update server`. `is_whole_job`: where nothing else is to
/// come. Collective.
[[nodiscard]] Exit train_server(const comm::Communicator& world,
                                const planner::Configuration& configuration, StopSignals& signals,
                                Log& log, const data::TileStore* opened, bool is_whole_job);

}  // namespace civitas::train
