#pragma once
/// What is done to images on their way into a net.
#include "civitas/planner/options.hpp"
#include "civitas/tasks/augment.hpp"

#include <functional>
#include <vector>

namespace civitas::tasks {

/// Images of every task are shifted; D of a GAN sees noise on them, too.
[[nodiscard]] AugmentOptions augment_options(const planner::Problem& problem,
                                             const planner::Hyperparameters& hyperparameters);

/// What is done to each net's input before its first layer, by NetId; to time it.
[[nodiscard]] std::vector<std::function<void(const at::Tensor& x_BCHW)>> input_work(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters);

}  // namespace civitas::tasks
