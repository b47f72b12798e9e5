#pragma once
/// Batch norm of a micro-batch with the leaky ReLU behind it on a GPU: formulas and names are those
/// of kernels/batch_norm.hpp, which calls this. Sums are made in an order that follows from the
/// shape and the type alone, not from the GPU nor from where images lie in memory, so results have
/// the same bits every time. The GPU's current stream does the work, in two kernels or, for few
/// pixels, in one, and nobody waits for it. Programs that are built without CUDA throw Error.
#include <ATen/core/Tensor.h>

namespace civitas::gpu {

/// Parameters: fp32, contiguous, (C), as all that is told of channels.
struct Normalising {
    at::Tensor weight_C, bias_C;
    double epsilon = 1e-5;
    double slope = 1;
};

struct Moments {
    at::Tensor mean_C, inverse_deviation_C, unbiased_variance_C;
};

struct NormGradients {
    at::Tensor weight_C, bias_C;
};

/// Writes y. x and y: (B,C,H,W), channels-last, fp32 or bf16, with two values a channel at
/// least and fewer than 2^30, fewer than 2^23 channels (ensured).
[[nodiscard]] Moments batch_norm_forward(const at::Tensor& x, const Normalising& norm,
                                         const at::Tensor& y);
/// Writes gx, which may be gy. `mean_C`, `inverse_deviation_C`: what F gave for this x.
[[nodiscard]] NormGradients batch_norm_backward(const at::Tensor& gy, const at::Tensor& x,
                                                const at::Tensor& mean_C,
                                                const at::Tensor& inverse_deviation_C,
                                                const Normalising& norm, const at::Tensor& gx);

}  // namespace civitas::gpu
