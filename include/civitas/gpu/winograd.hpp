#pragma once
/// Convolutions of kernel 4, stride 2 and padding 1, and their transposes, on a GPU in fp32, by
/// Winograd's minimal filtering: algebra and names are those of strided/convolution.hpp, which
/// calls this. Patches are mapped by kernels of ours, and multiplied by tensor cores, of numbers
/// split in two (src/gpu/products.hpp), or by cuBLAS where channels are not in fours. All sums are
/// made in an order that follows from the shapes alone, so results have the same bits every time.
/// The GPU's current stream does the work, and nobody waits for it. Programs that are built without
/// CUDA throw Error.
#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// big: (B, C_big, 2h, 2w); weight: (C_small, C_big, 4, 4); both fp32 and channels-last, on one
/// GPU. Returns (B, C_small, h, w) likewise. Throws Error when they are not (so do all that
/// follow).
[[nodiscard]] at::Tensor winograd_down(const at::Tensor& big, const at::Tensor& weight);
/// small: (B, C_small, h, w); returns (B, C_big, 2h, 2w), both as above.
[[nodiscard]] at::Tensor winograd_up(const at::Tensor& small, const at::Tensor& weight);
/// Overwrites leaf, (C_small, C_big, 4, 4) in fp32 and channels-last, by the gradient of the
/// weights, summed over the batch.
void winograd_weight_gradient(const at::Tensor& big, const at::Tensor& small,
                              const at::Tensor& leaf);

}  // namespace civitas::gpu
