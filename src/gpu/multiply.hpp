#pragma once
#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// (n, M, K) times (n, K, N), both fp32, on the GPU's current stream, as (parts, n, M, N), whose
/// sum over the parts of K is the product: by tensor cores as products.hpp has it where both are
/// contiguous or transposed views of what is, and whatever is contiguous a multiple of
/// numbers_at_once; else by cuBLAS.
[[nodiscard]] at::Tensor multiply(const at::Tensor& a, const at::Tensor& b);

}  // namespace civitas::gpu
