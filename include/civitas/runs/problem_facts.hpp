#pragma once
/// What a checkpoint says of the problem that it was made with.
#include "civitas/planner/options.hpp"

#include <map>
#include <string>

namespace civitas::runs {

/// The facts that hold whatever the tiles are: net, classes, precision, batch, seed, optimizer ...;
/// facts_of() adds those of the tiles.
[[nodiscard]] std::map<std::string, std::string> facts_of_problem(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters);

}  // namespace civitas::runs
