#pragma once
/// How gradients of weights are written, which are larger than caches or soon followed by others.
#include "simd.hpp"

namespace civitas::strided {
inline namespace CIVITAS_SET {

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

[[CIVITAS_VECTORS, gnu::always_inline]] inline void write_vector(float* to, Mask there, Floats v,
                                                                 Way way) {
    if (way == Way::past_caches)
        stream(to, v);
    else
        store(to, there, way == Way::add ? plus(load(to, there), v) : v);
}

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
