#pragma once
/// Which F(m, 2) an image is cut for. In fp32 m is 2, 3 or 4; in bf16 2 or 3, since the larger
/// numbers of F(4, 2) would magnify its roundings more than threefold.
#include "winograd_patch.hpp"

#include <type_traits>

namespace civitas::strided {

/// The m with the fewest products of a channel, where transformed weights cost as much as one patch
/// more: it depends on neither batch nor channels.
template <class T>
constexpr int size_of_patches(Extent e) {
    constexpr int most = std::is_same_v<T, float> ? 4 : 3;
    const auto cost = [&](int m) { return (patches_of(m, e) + 1) * points_of(m); };
    int best = 2;
    for (int m = 3; m <= most; ++m)
        if (cost(m) < cost(best)) best = m;
    return best;
}

/// How `up` cuts the small image.
struct Tiling {
    int m;
    bool shared;  ///< all phases have the same patches, which begin one row and column earlier
};

/// Patches are shared where that takes none more.
template <class T>
constexpr Tiling tiling_of_up(Extent e) {
    const int m = size_of_patches<T>(e);
    return {m, patches_of(m, e.grown()) == patches_of(m, e)};
}

/// Calls f with m as a constant.
template <class T, class F>
void with_size(int m, F f) {
    if constexpr (std::is_same_v<T, float>)
        if (m == 4) return f(std::integral_constant<int, 4>());
    if (m == 3) return f(std::integral_constant<int, 3>());
    f(std::integral_constant<int, 2>());
}

}  // namespace civitas::strided
