#pragma once
/// How far tensors are from what they should be.
#include <ATen/core/Tensor.h>
#include <ATen/ops/norm.h>

namespace civitas::test {

/// Relative to b, which is in double: |a - b| / |b|.
inline double apart(const at::Tensor& a, const at::Tensor& b) {
    return (a.to(at::kDouble) - b).norm().item<double>() / b.norm().item<double>();
}

}  // namespace civitas::test
