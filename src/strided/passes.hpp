#pragma once
/// The passes of convolution.hpp over plain memory, for T in {float, BFloat16}.
#include "image.hpp"
#include "simd.hpp"

#include <ATen/core/Tensor.h>

namespace civitas::strided {

/// A channels-last tensor of T, to read from or to write to.
template <class T>
Image<const T> image_of(const at::Tensor& t) {
    return {t.const_data_ptr<T>(), t.size(0), t.size(2), t.size(3), t.size(1)};
}

template <class T>
Image<T> image_to(const at::Tensor& t) {
    return {t.mutable_data_ptr<T>(), t.size(0), t.size(2), t.size(3), t.size(1)};
}

/// Channels of images and weights.
struct Channels {
    std::int64_t small, big;
};

/// Words of a row that has so many channels, filled up to whole vectors.
template <class T>
constexpr std::int64_t row_words(std::int64_t channels) {
    return divide_up(channels, lanes * numbers_per_word<T>) * lanes;
}

enum class Direction { down, up };

/// The passes as plain functions.
template <class T>
struct Passes {
    void (*down)(Image<const T> big, const T* weight, Image<T> small);
    void (*up)(Image<const T> small, const T* weight, Image<T> big);
    /// leaf: as a weight.
    void (*gradient)(Image<const T> big, Image<const T> small, float* leaf);
};

/// By Winograd's minimal filtering, with the vectors of a set of instructions.
template <class T>
Passes<T> passes_of(simd::Avx512);
template <class T>
Passes<T> passes_of(simd::Avx2);

/// With those of this processor.
template <class T>
Passes<T> winograd_passes() {
    return simd::with_set<T>([](auto set) { return passes_of<T>(set); });
}

/// Passes of the set that a file is compiled for.
inline namespace CIVITAS_SET {

template <class T>
void run_down(Image<const T> big, const T* weight, Image<T> small);
template <class T>
void run_up(Image<const T> small, const T* weight, Image<T> big);
template <class T>
void run_gradient(Image<const T> big, Image<const T> small, float* leaf);

}  // namespace CIVITAS_SET

/// The same without transforms, by tiles, where has_amx().
template <class T>
void run_direct_down(Image<const T> big, const T* weight, Image<T> small);
template <class T>
void run_direct_up(Image<const T> small, const T* weight, Image<T> big);
template <class T>
void run_direct_gradient(Image<const T> big, Image<const T> small, float* leaf);

}  // namespace civitas::strided
