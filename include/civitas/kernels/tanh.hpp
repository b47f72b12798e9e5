#pragma once
/// The hyperbolic tangent, element by element. Twin: at::tanh.
#include <ATen/core/Tensor.h>

namespace civitas::kernels {

/// tanh of x: on a CPU, fp32 or bf16, dense in memory (ensured); the result is laid out as x. By a
/// quotient of polynomials of degree 13 and 6 (as in Eigen, generic_fast_tanh_float), within some
/// units in the last place of fp32.
[[nodiscard]] at::Tensor tanh(const at::Tensor& x);

}  // namespace civitas::kernels
