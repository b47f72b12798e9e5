#pragma once
/// Whether numbers on a GPU are finite, said there: nobody waits for it. Programs that are built
/// without CUDA throw Error.
#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// Makes `number`, a double, NaN if there is a NaN or an Inf among `values`, contiguous, fp32 or
/// fp64, on the same GPU; leaves it alone if there is none.
void spoil_unless_finite(const at::Tensor& values, const at::Tensor& number);

}  // namespace civitas::gpu
