#pragma once
/// The logit of a projection discriminator (Miyato & Koyama, arXiv 1802.05637): its last layer
/// gives 1 + K numbers y of an image, and the numbers c that tell what was asked are projected on
/// the K: logit = y_0 + sum_k c_k y_k. In doubles and, on a CPU, in the order of k.
#include <ATen/core/Tensor.h>

namespace civitas::nn {

/// y (B,1+K,1,1), in any floating type and on any device, and c (B,K) in doubles, there -> logits
/// (B,1,1,1) in doubles, there.
[[nodiscard]] at::Tensor projected(const at::Tensor& y_BK11, const at::Tensor& c_BK);
/// The same up to rounding, by calls of ATen that leave everything on a device.
[[nodiscard]] at::Tensor projected_by_aten(const at::Tensor& y_BK11, const at::Tensor& c_BK);
/// The gradient of y, in doubles, by that of the logits (B,1,1,1): g for y_0, c_k g for y_k.
[[nodiscard]] at::Tensor projected_backward(const at::Tensor& g_B111, const at::Tensor& c_BK);

}  // namespace civitas::nn
