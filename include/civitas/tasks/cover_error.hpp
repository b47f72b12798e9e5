#pragma once
/// How far the cover of drawn plans is from what was wished, and the gradient of its square, which
/// is added to that of G's loss. The cover of a drawn plan x, a channel's -1..1 counting as 0..1,
/// is a mean over its pixels; with the wish c, standardised, and of n plans in the batch
///   loss = weight / n * sum over plans and shares of e^2,
///   e = ((mean(x) + 1) / 2 - m) / s - c,  m and s mean and deviation of training tiles,
/// has the same gradient, weight / n * e / (s * pixels), for each pixel of a channel.
#include "civitas/conditions/conditions.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::tasks {

/// The e (B,2) of each plan's buildings and roads, of plans x (B,C,H,W) whose first channels are
/// buildings and roads, and wishes c (B,K) in doubles, whose first two are the shares. In doubles,
/// on the device of x, where c is; summed pixel by pixel on a CPU.
[[nodiscard]] at::Tensor cover_errors(const conditions::CoverScale& scale, const at::Tensor& x_BCHW,
                                      const at::Tensor& c_BK);
/// The same up to rounding, by calls of ATen that leave everything on a device.
[[nodiscard]] at::Tensor cover_errors_by_aten(const conditions::CoverScale& scale,
                                              const at::Tensor& x_BCHW, const at::Tensor& c_BK);
/// The gradient in the shape, type and place of `like`; share: weight / n.
[[nodiscard]] at::Tensor cover_gradient(const conditions::CoverScale& scale,
                                        const at::Tensor& errors_B2, double share,
                                        const at::Tensor& like_BCHW);

}  // namespace civitas::tasks
