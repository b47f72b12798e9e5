#pragma once
/// What a generator's running statistics are taken of before it draws with the mean of its weights.
#include "civitas/conditions/conditions.hpp"
#include "civitas/planner/options.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::tasks {

/// Micro-batches of noise by which running statistics are found: of the size that the run
/// normalises over, 256 plans or a few more.
[[nodiscard]] std::int64_t calibration_micro_batches(const planner::Problem& problem);
/// Draws the input z (B,nz+K,1,1) of one of them, B = the run's micro-batch: by formula, of the
/// run's seed, the same wherever it is drawn. Plans are asked to be as training tiles are.
[[nodiscard]] at::Tensor calibration_noise(const planner::Problem& problem,
                                           const conditions::Conditions& conditions,
                                           std::int64_t micro_batch, const at::TensorOptions& like);

}  // namespace civitas::tasks
