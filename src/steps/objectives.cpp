#include "civitas/steps/objectives.hpp"

#include "civitas/tasks/gan_objective.hpp"

namespace civitas::steps {

std::shared_ptr<const tasks::Objective> objective_of(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters,
    const data::TileStore& /*store*/, at::Device device) {
    return std::make_shared<tasks::GanObjective>(problem, hyperparameters, device);
}

}  // namespace civitas::steps
