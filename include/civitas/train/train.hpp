#pragma once
/// A training run, from what was asked for to its last file.
#include "civitas/base/exit.hpp"
#include "civitas/base/log.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/planner/options.hpp"

namespace civitas::data {
class TileStore;
}

namespace civitas::train {

/// Runs the whole of `civitas train`. Collective. `opened`: the tiles, where the job does more
/// than this run, and has them open already; null: opens them.
[[nodiscard]] Exit train(const comm::Communicator& world,
                         const planner::Configuration& configuration, StopSignals& signals,
                         Log& log, const data::TileStore* opened = nullptr);

}  // namespace civitas::train
