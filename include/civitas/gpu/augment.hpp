#pragma once
/// What D sees of images, made by a GPU from what has been drawn for them: see tasks/augment.hpp.
/// All tensors lie on one GPU and have fewer than 2^32 elements (ensured); its current stream does
/// the work, and nobody waits for it. Programs that are built without CUDA throw Error.
#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// Writes to y (B,C,H,W) what x of that shape is, shifted and with noise on top. `drawn` (B,N): a
/// row for each image, doubles, the first six as tasks::draw_augmentations makes them. Computed in
/// doubles where y is, else in fp32, as on a CPU: differences are of one rounding.
void augment(const at::Tensor& drawn_BN, double noise, const at::Tensor& x_BCHW,
             const at::Tensor& y_BCHW);
/// Writes to gx the gradient of x, given that of y in `g`, both (B,C,H,W) of one type.
void augment_backward(const at::Tensor& drawn_BN, const at::Tensor& g_BCHW,
                      const at::Tensor& gx_BCHW);

}  // namespace civitas::gpu
