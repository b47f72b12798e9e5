#pragma once
/// Images from a generator as it draws (means of weights and statistics).
#include "civitas/nn/layer.hpp"
#include "civitas/quality/evaluation.hpp"
#include "civitas/report/sheet.hpp"
#include "civitas/tasks/augment.hpp"

#include <functional>
#include <vector>

namespace civitas::train {

/// Draws plans first, first + 1, ..., so many at once. The generator must make each by itself, so
/// that a plan's bits depend on its number alone: evaluated_one_by_one() does. Returns x (B,C,H,W)
/// on the CPU, fp32, values in [-1, 1], B the number of plans.
[[nodiscard]] at::Tensor draw_plans(const std::function<at::Tensor(const at::Tensor&)>& generator,
                                    const tasks::LatentOptions& options, Range plans,
                                    const at::TensorOptions& like, std::int64_t at_once = 1);
/// What a stage makes of each sample of x (B,C,H,W) alone.
[[nodiscard]] at::Tensor evaluated_one_by_one(const nn::Stage& stage, const at::Tensor& x_BCHW);

/// How the noise of generated plans is drawn: that of plan i is sample i of major 0.
[[nodiscard]] tasks::LatentOptions plan_latents(Seed seed, std::int64_t nz);

[[nodiscard]] quality::ImageSet image_set(const at::Tensor& x_BCHW);
[[nodiscard]] std::vector<report::SoftImage> soft_images(const at::Tensor& x_BCHW);

}  // namespace civitas::train
