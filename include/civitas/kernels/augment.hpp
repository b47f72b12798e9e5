#pragma once
/// What D sees of images, made by a CPU from what has been drawn for them: see tasks/augment.hpp.
/// Twin: gpu::augment.
#include <ATen/core/Tensor.h>

namespace civitas::kernels {

/// Writes to y (B,C,H,W) what x of that shape is, shifted and with noise on top. `drawn` (B,N): a
/// row for each image, doubles, the first six as tasks::draw_augmentations makes them. Computed in
/// doubles where y is, else in fp32. On a CPU; y is fp64, fp32 or bf16, x of the same type or fp32
/// (ensured). The bits do not depend on the number of threads.
void augment(const at::Tensor& drawn_BN, double noise, const at::Tensor& x_BCHW,
             const at::Tensor& y_BCHW);

}  // namespace civitas::kernels
