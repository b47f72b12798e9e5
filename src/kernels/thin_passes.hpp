#pragma once
/// The passes of thin.hpp for T in {float, BFloat16}, with the vectors of a set of instructions.
#include "image_strips.hpp"

namespace civitas::kernels::thin {

template <class T>
struct Passes {
    /// Writes the big image.
    void (*up)(const at::Tensor& small, const at::Tensor& weight, const at::Tensor& big);
    /// Gradients of all strips: (strips, elements of the weights).
    at::Tensor (*gradients)(const at::Tensor& big, const at::Tensor& small, const Strips& strips,
                            std::int64_t elements);
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

}  // namespace civitas::kernels::thin
