#pragma once
/// How gradients of weights are written, which are larger than caches or soon followed by others.
#include "simd.hpp"

namespace civitas::strided {

enum class Way { past_caches, overwrite, add };

/// What is written once goes past the caches, which would read it first; vectors must be whole for
/// that. The first of several parts overwrites, others are added.
inline Way way_to_write(const float* leaf, std::int64_t channels, bool once, bool first) {
    constexpr std::uintptr_t vector = lanes * sizeof(float);
    const bool whole =
        channels % lanes == 0 && reinterpret_cast<std::uintptr_t>(leaf) % vector == 0;
    if (whole && once) return Way::past_caches;
    return first ? Way::overwrite : Way::add;
}

[[CIVITAS_AVX512, gnu::always_inline]] inline void write_vector(float* to, __mmask16 there,
                                                                __m512 v, Way way) {
    if (way == Way::past_caches)
        _mm512_stream_ps(to, v);
    else
        store(to, there, way == Way::add ? _mm512_add_ps(load(to, there), v) : v);
}

}  // namespace civitas::strided
