#pragma once
/// Products of batches of matrices on a GPU.
#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// (n, M, K) times (n, K, N), both fp32, each contiguous or a transposed view of what is, on the
/// GPU's current stream. Numbers are taken with the bits that TF32 has, sums are fp32, by tensor
/// cores. The context's own setting of TF32 is neither asked nor changed. Throws c10::Error where
/// cuBLAS refuses.
[[nodiscard]] at::Tensor multiply_in_tf32(const at::Tensor& a, const at::Tensor& b);

}  // namespace civitas::gpu
