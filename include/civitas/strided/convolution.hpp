#pragma once
/// Convolutions of kernel 4, stride 2 and padding 1, and their transposes: by tiles where the
/// processor has them, else by Winograd's minimal filtering F(m x m, 2x2) (S. Winograd, Arithmetic
/// Complexity of Computations, 1980; as tiles of images: A. Lavin, S. Gray, Fast Algorithms for
/// Convolutional Neural Networks, arXiv 1509.09308).
///
/// A big image of 2h x 2w pixels, padded by one, falls into four phases: pixels of even or odd row
/// and even or odd column. In one dimension, with phases Q_0 and Q_1 and the kernel w,
///     small[i] = sum over p of w[p] Q_p[i] + w[p+2] Q_p[i+1],
/// four kernels of two numbers at stride 1 (2x2 in two dimensions), whose results add up. Two
/// neighbouring results of a kernel (g0, g1) over (d0, d1, d2) need three products instead of four,
/// with any c:
///     m0 = (d1+c d0) (g1+g0/c)/2,   m1 = (d1-c d0) (g1-g0/c)/2,   m2 = (d2-c^2 d0) g1;
///     y0 = m0 + m1,                 y1 = c (m0-m1) + m2,
/// and 9 instead of 16 in two dimensions; m results need m + 1 products instead of 2m. Images are
/// cut into patches of m x m results, m in {2, 3, 4}, for the fewest products: along a side of 16,
/// 32 and 64 pixels of the small image 20, 40 and 80 of 32, 64 and 128. The transpose writes the
/// four phases of the big image, each a 2x2 kernel over the small one; its phases share patches, or
/// each transforms its own, whose time then counts, too. The gradient of g is the transpose of the
/// same formula, summed over all patches; for m = 2, where e is the gradient of y,
///     dg0 = (P0-P1) / (2c),   dg1 = (P0+P1) / 2 + P2,
///     P = ((e0+c e1) (d1+c d0), (e0-c e1) (d1-c d0), e1 (d2-c^2 d0)).
/// Channels make the products those of matrices; in bf16 what is multiplied is rounded to bf16, and
/// products are added up in fp32. Where tiles multiply (AMX), there are no transforms: all three
/// are products of the pixels themselves, with 16 products where m = 2 has 9. Transforms would take
/// longer than what they save. Numbers of fp32 are then split into three of bf16
/// (civitas/simd/parts.hpp), which makes six products of one.
///
/// One set of kernels serves both kinds of layer, with weights (channels of the small image,
/// channels of the big one, 4, 4), PyTorch's layout of either kind: `down` is F of a convolution
/// and B of a transposed one, `up` B of a convolution and F of a transposed one, and
/// `weight_gradient` W of both. The bits of a result do not depend on the number of threads, nor
/// those of an image on the batch it is in (`weight_gradient` sums over the batch), on CPUs; on a
/// GPU (civitas/gpu/winograd.hpp, with m in {2, 4}) they depend on shapes alone.
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace civitas::strided {

/// Whether this processor has the instructions for images and weights of `type` (fp32 or bf16).
[[nodiscard]] bool supports(at::ScalarType type);

/// big: (B, C_big, 2h, 2w); weight: (C_small, C_big, 4, 4); both channels-last and of one supported
/// type, or fp32 on a GPU, with pixels and channels. Returns (B, C_small, h, w) likewise. Throws
/// Error when they are not (so do all that follow).
[[nodiscard]] at::Tensor down(const at::Tensor& big, const at::Tensor& weight);
/// small: (B, C_small, h, w); returns (B, C_big, 2h, 2w), both as above.
[[nodiscard]] at::Tensor up(const at::Tensor& small, const at::Tensor& weight);
/// Overwrites leaf, (C_small, C_big, 4, 4) in fp32 and channels-last, by the sum over the batch:
/// the gradient of the weights where one of `big` and `small` is the input of the layer and the
/// other the gradient of its output. Both are of one supported type.
void weight_gradient(const at::Tensor& big, const at::Tensor& small, const at::Tensor& leaf);

}  // namespace civitas::strided
