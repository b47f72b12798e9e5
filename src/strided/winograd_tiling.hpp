#pragma once
/// Which F(m, 2) an image is cut for, m in {2, 3, 4}: it depends on neither batch nor channels.
#include "winograd_patch.hpp"

#include <type_traits>

namespace civitas::strided {
inline namespace CIVITAS_SET {

/// Products of a channel, where transformed weights cost as much as one patch more.
constexpr std::int64_t products_of(int m, Extent e) {
    return (patches_of(m, e) + 1) * points_of(m);
}

/// The m in {2, 3, 4} of the least cost(m), the smaller one of equals.
template <class Cost>
constexpr int cheapest(Cost cost) {
    int best = 2;
    for (const int m : {3, 4})
        if (cost(m) < cost(best)) best = m;
    return best;
}

/// How `down` and the gradient cut the small image.
constexpr int size_of_patches(Extent e) {
    return cheapest([&](int m) { return products_of(m, e); });
}

/// Whether the phases of `up` can have the same patches, which begin one row and column earlier, at
/// no cost: where there are no more of them.
constexpr bool shares_patches(int m, Extent e) {
    return patches_of(m, e.grown()) == patches_of(m, e);
}

/// How `up` cuts the small image. Where patches are not shared each phase has its own to transform,
/// which takes a share of the time of products: the one of the layers of `dcgan-256`, as
/// bench_kernels measures them.
template <class T>
constexpr int size_of_patches_up(Extent e) {
    constexpr double share = std::is_same_v<T, float> ? 0.05 : 0.1;
    return cheapest([&](int m) {
        const auto transformed =
            patches_of(m, e) * points_of(m) * (shares_patches(m, e) ? 1 : phases);
        return static_cast<double>(products_of(m, e)) + share * static_cast<double>(transformed);
    });
}

/// Calls f with m as a constant.
template <class F>
void with_size(int m, F f) {
    if (m == 4) return f(std::integral_constant<int, 4>());
    if (m == 3) return f(std::integral_constant<int, 3>());
    f(std::integral_constant<int, 2>());
}

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
