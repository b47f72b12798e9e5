#pragma once
/// Convolutions of kernel 4, stride 2 and padding 1 between a big image of few channels (a picture)
/// and a small one of many, as products of matrices. Their weights (C_small, C_big, 4, 4), as
/// PyTorch has them for either kind of layer, are in channels-last memory a matrix of C_small rows
/// and 16 C_big columns, one for each tap (ky, kx, c): a pixel of the small image times this matrix
/// is what the pixel adds to a patch of 4 x 4 pixels of the big one. Twins: at::convolution and
/// at::convolution_backward.
///
/// Work is divided into strips of rows by the shape alone: results have the same bits for any
/// number of threads, those of an image whatever the batch it is in.
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::kernels::thin {

/// Whether there are kernels for weights of this shape and type (fp32, bf16) on this processor.
[[nodiscard]] bool supports(at::IntArrayRef weight, at::ScalarType type);

/// F of a transposed convolution, B of a convolution. small: (B, C_small, h, w); weight: (C_small,
/// C_big, 4, 4); both channels-last and of one type (ensured). Returns (B, C_big, 2h, 2w) likewise.
[[nodiscard]] at::Tensor up(const at::Tensor& small, const at::Tensor& weight);

/// W of both: overwrites leaf (C_small, C_big, 4, 4), fp32, channels-last, by the gradient of the
/// weights, where one of big (B, C_big, 2h, 2w) and small (B, C_small, h, w) is the input and the
/// other the gradient of the output; both channels-last and of one type (ensured).
void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf);

}  // namespace civitas::kernels::thin
