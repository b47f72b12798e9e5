#pragma once
/// A ranking of meshes in words.
#include "civitas/strategy/candidates.hpp"

#include <string>

namespace civitas::app {

/// `mpirun -n 4 --bind-to none civitas train --tiles tiles.h5 --run run --mesh ...`: all that is
/// not the default of `train`; the tiles' and the run's names are for the reader to replace.
[[nodiscard]] std::string command_of(const strategy::Candidate& candidate,
                                     const planner::Configuration& configuration,
                                     const planner::MachineModel& machine);

/// A table, the strategy for these resources, and why.
[[nodiscard]] std::string to_text(const strategy::Ranking& ranking,
                                  const planner::CostModel& model);

}  // namespace civitas::app
