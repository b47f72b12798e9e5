#pragma once
/// Images from a generator as it draws (means of weights and statistics).
#include "civitas/quality/evaluation.hpp"
#include "civitas/report/sheet.hpp"
#include "civitas/tasks/augment.hpp"

#include <functional>
#include <vector>

namespace civitas::steps {

/// Plans that are drawn at once, at most: most kernels read weights once for all of them, and ranks
/// that keep weights in parts gather them once.
inline constexpr std::int64_t plans_together = 8;
/// Draws plans first, first + 1, ..., so many at once. The generator must make each by itself, so
/// that a plan's bits depend on its number alone: nn::Stage::evaluate_each() does. Returns x
/// (B,C,H,W) on the CPU, fp32, values in [-1, 1], B the number of plans.
[[nodiscard]] at::Tensor draw_plans(const std::function<at::Tensor(const at::Tensor&)>& generator,
                                    const tasks::LatentOptions& options, Range plans,
                                    const at::TensorOptions& like,
                                    std::int64_t at_once = plans_together);
[[nodiscard]] quality::ImageSet image_set(const at::Tensor& x_BCHW);
[[nodiscard]] std::vector<report::SoftImage> soft_images(const at::Tensor& x_BCHW);

}  // namespace civitas::steps
