#pragma once
/// The linear maps of Winograd's F(m, 2), m in {2, 3, 4}: m results of a filter of two numbers by
/// m + 1 products, y = A^T ((G g) * (B^T d)) in the notation of arXiv 1509.09308. They interpolate
/// at 0, at infinity and between them at 1; at 1 and -1; at 1, -1 and 1/2. The gradient of the
/// filter is the transpose of the same formula, dg = G^T ((A e) * (B^T d)), where e is the gradient
/// of y. Numbers are vectors of sixteen channels; how many there are tells m.
#include "simd.hpp"

namespace civitas::kernels::winograd {

/// Numbers of a patch along one dimension, and products.
constexpr int side_of(int m) { return m + 1; }
/// Products of a patch in two dimensions.
constexpr int points_of(int m) { return side_of(m) * side_of(m); }

[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 plus(__m512 a, __m512 b) {
    return _mm512_add_ps(a, b);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 minus(__m512 a, __m512 b) {
    return _mm512_sub_ps(a, b);
}
/// a factor + b.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 scaled(__m512 a, float factor, __m512 b) {
    return _mm512_fmadd_ps(a, _mm512_set1_ps(factor), b);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 scaled(__m512 a, float factor) {
    return _mm512_mul_ps(a, _mm512_set1_ps(factor));
}

/// B^T: of inputs.
struct DataMap {
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&d)[3], __m512 (&t)[3]) {
        t[0] = minus(d[0], d[1]);
        t[1] = d[1];
        t[2] = minus(d[2], d[1]);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&d)[4], __m512 (&t)[4]) {
        t[0] = minus(d[0], d[2]);
        t[1] = plus(d[1], d[2]);
        t[2] = minus(d[2], d[1]);
        t[3] = minus(d[3], d[1]);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&d)[5], __m512 (&t)[5]) {
        const __m512 apart = minus(d[3], d[1]);
        t[0] = scaled(apart, 2, minus(d[0], d[2]));
        t[1] = scaled(d[3], 2, minus(d[2], d[1]));
        t[2] = scaled(d[3], -2, scaled(d[2], 3, minus(_mm512_setzero_ps(), d[1])));
        t[3] = apart;
        t[4] = scaled(apart, -0.5F, minus(d[4], d[2]));
    }
};

/// G: of filters.
struct FilterMap {
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&g)[2], __m512 (&t)[3]) {
        t[0] = g[0];
        t[1] = plus(g[0], g[1]);
        t[2] = g[1];
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&g)[2], __m512 (&t)[4]) {
        t[0] = g[0];
        t[1] = scaled(plus(g[0], g[1]), 0.5F);
        t[2] = scaled(minus(g[0], g[1]), 0.5F);
        t[3] = g[1];
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&g)[2], __m512 (&t)[5]) {
        t[0] = g[0];
        t[1] = scaled(plus(g[0], g[1]), 1.0F / 2);
        t[2] = scaled(minus(g[0], g[1]), 1.0F / 6);
        t[3] = scaled(scaled(g[1], 0.5F, g[0]), -8.0F / 3);
        t[4] = g[1];
    }
};

/// A^T: of products, to results.
struct ResultMap {
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&p)[3], __m512 (&y)[2]) {
        y[0] = plus(p[0], p[1]);
        y[1] = plus(p[1], p[2]);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&p)[4], __m512 (&y)[3]) {
        const __m512 even = plus(p[1], p[2]);
        y[0] = plus(p[0], even);
        y[1] = minus(p[1], p[2]);
        y[2] = plus(even, p[3]);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&p)[5], __m512 (&y)[4]) {
        const __m512 even = plus(p[1], p[2]), odd = minus(p[1], p[2]);
        y[0] = plus(plus(p[0], even), p[3]);
        y[1] = scaled(p[3], 1.0F / 2, odd);
        y[2] = scaled(p[3], 1.0F / 4, even);
        y[3] = plus(scaled(p[3], 1.0F / 8, odd), p[4]);
    }
};

/// A: of gradients of results.
struct ErrorMap {
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&e)[2], __m512 (&t)[3]) {
        FilterMap::of(e, t);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&e)[3], __m512 (&t)[4]) {
        const __m512 even = plus(e[0], e[2]);
        t[0] = e[0];
        t[1] = plus(even, e[1]);
        t[2] = minus(even, e[1]);
        t[3] = e[2];
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&e)[4], __m512 (&t)[5]) {
        const __m512 even = plus(e[0], e[2]), odd = plus(e[1], e[3]);
        t[0] = e[0];
        t[1] = plus(even, odd);
        t[2] = minus(even, odd);
        t[3] = scaled(e[3], 1.0F / 8, scaled(e[2], 1.0F / 4, scaled(e[1], 1.0F / 2, e[0])));
        t[4] = e[3];
    }
};

/// G^T: of products, to gradients of filters.
struct GradientMap {
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&p)[3], __m512 (&g)[2]) {
        ResultMap::of(p, g);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&p)[4], __m512 (&g)[2]) {
        g[0] = scaled(plus(p[1], p[2]), 0.5F, p[0]);
        g[1] = scaled(minus(p[1], p[2]), 0.5F, p[3]);
    }
    [[CIVITAS_AVX512, gnu::always_inline]] static void of(const __m512 (&p)[5], __m512 (&g)[2]) {
        const __m512 one = scaled(p[1], 1.0F / 2), other = scaled(p[2], 1.0F / 6);
        g[0] = scaled(p[3], -8.0F / 3, plus(p[0], plus(one, other)));
        g[1] = scaled(p[3], -4.0F / 3, plus(p[4], minus(one, other)));
    }
};

/// A map of one row or column: of vectors that lie `apart` from each other, to others that do.
template <class Map, int from, int to, std::int64_t x_apart, std::int64_t y_apart>
[[CIVITAS_AVX512, gnu::always_inline]] inline void map_line(const __m512* x, __m512* y) {
    __m512 line[from], mapped[to];
#pragma GCC unroll 5
    for (int i = 0; i < from; ++i) line[i] = x[i * x_apart];
    Map::of(line, mapped);
#pragma GCC unroll 5
    for (int i = 0; i < to; ++i) y[i * y_apart] = mapped[i];
}

/// A map along both dimensions of a square, whose rows lie one after the other.
template <class Map, int from, int to>
[[CIVITAS_AVX512, gnu::always_inline]] inline void map_square(const __m512 (&x)[from * from],
                                                              __m512 (&y)[to * to]) {
    __m512 half[from * to];
#pragma GCC unroll 5
    for (std::int64_t row = 0; row < from; ++row)
        map_line<Map, from, to, 1, 1>(x + row * from, half + row * to);
#pragma GCC unroll 5
    for (std::int64_t column = 0; column < to; ++column)
        map_line<Map, from, to, to, to>(half + column, y + column);
}

}  // namespace civitas::kernels::winograd
