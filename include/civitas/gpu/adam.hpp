#pragma once
/// Adam on a GPU in one pass over memory, with the running mean of the weights and their copy in
/// bf16: see updates/adam.hpp, which calls this. The GPU's current stream does the work, and nobody
/// waits for it. Programs that are built without CUDA throw Error.
#include "civitas/gpu/adam_scales.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// The same elements of each: flat, contiguous, on one GPU, fp32 but for the copy, which is bf16.
struct AdamArrays {
    at::Tensor weights, gradient;
    at::Tensor first, second;       ///< moments
    at::Tensor mean, compute_copy;  ///< may be undefined
    at::Tensor condition = {};      ///< a double on that GPU; may be undefined
};

/// Also makes mean = mean_decay mean + (1 - mean_decay) weights; changes nothing where there is a
/// condition that is not finite. The bits of an element depend on
/// nothing but its own numbers.
void adam(const AdamArrays& arrays, const AdamScales& scales, double mean_decay);

}  // namespace civitas::gpu
