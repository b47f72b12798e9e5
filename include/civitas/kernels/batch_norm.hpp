#pragma once
/// Batch norm of a micro-batch with the leaky ReLU behind it, each of forward and backward in two
/// passes over the data. Twins: at::native_batch_norm, at::leaky_relu and their backward.
///
/// With N values per channel, m their mean, v their mean squared deviation, d = 1 / sqrt(v + eps):
///   z = (x - m) d weight + bias,   y = z > 0 ? z : slope z
///   g = z > 0 ? gy : slope gy,     gx = weight d (g - sum g / N - (x - m) d^2 sum g (x - m) / N)
/// Values are added in blocks about a mean of their block in fp32, blocks in double (Chan, Golub
/// and LeVeque 1983), so large means do not cancel. Blocks follow from the shape alone: results
/// have the same bits for any number of threads.
#include <ATen/core/Tensor.h>

namespace civitas::kernels {

/// What is applied. Parameters: fp32, contiguous, (C).
struct BatchNorm {
    at::Tensor weight_C, bias_C;
    double epsilon = 1e-5;
    double slope = 1;  ///< for negative values, at least 0: 0 is ReLU, 1 no activation
};

/// What F took of a micro-batch, fp32, (C).
struct BatchMoments {
    at::Tensor mean_C;
    at::Tensor inverse_deviation_C;  ///< d
};

struct BatchNormForward {
    at::Tensor y;  ///< as x
    BatchMoments moments;
    at::Tensor unbiased_variance_C;  ///< v N / (N - 1)
};

struct BatchNormBackward {
    at::Tensor gx;                    ///< as gy
    at::Tensor g_weight_C, g_bias_C;  ///< fp32
};

/// Whether the kernels take this x: fp32 or bf16, on a CPU or, as gpu/batch_norm.hpp has it, a GPU.
/// What they are given is to be channels-last (ensured).
[[nodiscard]] bool supports_batch_norm(const at::Tensor& x);

/// x: (B,C,H,W), at least two values per channel.
[[nodiscard]] BatchNormForward batch_norm_forward(const at::Tensor& x, const BatchNorm& norm);

/// gy: gradient of y, in the shape and type of x; `moments`: what forward gave for this x and the
/// same parameters, by which the sign of z is found again. The gradient of x is written to `gx`, of
/// the same shape and type, which may be gy itself; into a new tensor when that is undefined.
[[nodiscard]] BatchNormBackward batch_norm_backward(const at::Tensor& gy, const at::Tensor& x,
                                                    const BatchMoments& moments,
                                                    const BatchNorm& norm, at::Tensor gx = {});

}  // namespace civitas::kernels
