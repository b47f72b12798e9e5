#pragma once
/// Convolutions of kernel 3, stride 1 and padding 1 from many channels to a picture of three at
/// most, as products of matrices: of a pixel's channels and the 9 C_picture columns of the weights,
/// each of which belongs to a neighbour of the pixel (F), and of patches of 3 x 3 pixels of the
/// picture's gradient and the weights (B) or the pixels (W): kn2row (A. Vasudevan et al., Parallel
/// Multi Channel Convolution using General Matrix Multiplication, arXiv 1704.04428) and im2col (K.
/// Chellapilla et al., High Performance Convolutional Neural Networks for Document Processing,
/// 2006), row by row. Twins: at::convolution and at::convolution_backward.
///
/// Work is divided into strips of rows by the shape alone: results have the same bits for any
/// number of threads, those of an image whatever the batch it is in.
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::kernels::picture {

/// Whether there are kernels for weights of this shape and type (fp32, bf16) on this processor.
[[nodiscard]] bool supports(at::IntArrayRef weight, at::ScalarType type);

/// F. x: (B, C, h, w); weight: (C_picture, C, 3, 3); both channels-last and of one type (ensured).
/// Returns (B, C_picture, h, w) likewise.
[[nodiscard]] at::Tensor forward(const at::Tensor& x, const at::Tensor& weight);

/// B: of gy (B, C_picture, h, w) the gradient of x, both as above.
[[nodiscard]] at::Tensor backward_input(const at::Tensor& gy, const at::Tensor& weight);

/// W: overwrites leaf (C_picture, C, 3, 3), fp32, channels-last, by the gradient of the weights; gy
/// and x as above.
void backward_weights(const at::Tensor& gy, const at::Tensor& x, const at::Tensor& leaf);

}  // namespace civitas::kernels::picture
