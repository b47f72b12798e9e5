#pragma once
/// The passes of picture.hpp for T in {float, BFloat16}, with the vectors of a set of instructions.
#include "picture_rows.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::kernels::picture {

/// A patch of a gradient has this tap of the weights where it has 8 minus it.
constexpr std::int64_t mirrored(std::int64_t tap) { return taps - 1 - tap; }

template <class T>
struct Passes {
    /// Writes y.
    void (*forward)(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& y);
    /// Writes gx.
    void (*backward_input)(const at::Tensor& gy, const at::Tensor& weight, const at::Tensor& gx);
    /// Gradients of all strips: (strips, elements of the weights), a panel of channels after the
    /// other, each (tap and channel of the picture, channel), in the order of patches.
    at::Tensor (*gradients)(const at::Tensor& gy, const at::Tensor& x, std::int64_t elements);
};

/// Of one set of instructions.
template <class T>
Passes<T> passes_of(simd::Avx512);
template <class T>
Passes<T> passes_of(simd::Avx2);

/// Those of this processor.
template <class T>
Passes<T> passes() {
    return simd::with_set<T>([](auto set) { return passes_of<T>(set); });
}

}  // namespace civitas::kernels::picture
