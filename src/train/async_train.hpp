#pragma once
/// Training without waiting for each other.
#include "civitas/train/train.hpp"

namespace civitas::train {

/// As train(), where each rank updates weights that the ranks share by gradients of its own. The
/// root keeps the run folder. Collective over `world`.
[[nodiscard]] Exit train_async(const comm::Communicator& world,
                               const planner::Configuration& configuration, StopSignals& signals,
                               Log& log, const data::TileStore* opened);

}  // namespace civitas::train
