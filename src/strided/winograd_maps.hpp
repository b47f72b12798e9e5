#pragma once
/// The linear maps of Winograd's F(m, 2), m in {2, 3, 4}: m results of a filter of two numbers by
/// m + 1 products, y = A^T ((G g) * (B^T d)) in the notation of arXiv 1509.09308. They interpolate
/// at infinity and at c and -c; at 0, 1 and -1; at a, -a, b and -b. The gradient of the filter is
/// the transpose of the same formula, dg = G^T ((A e) * (B^T d)), where e is the gradient of y.
/// Numbers are vectors of sixteen channels; how many there are tells m.
///
/// Where G g and B^T d are rounded, the variance of y grows by the mean over its numbers i of
///     sum over products p of A_pi^2 (sum of G_pk^2 over k) (sum of B_pj^2 over j) / 2,
/// along each dimension: for m = 3 by 5/3. The usual points give 2 for m = 2 (0 and 1) and 6.4 for
/// m = 4 (0, 1, -1 and 1/2); c = 2/3 gives 1.15, a = 5/4 and b = 2/5 give 2.81, near the least that
/// there is. The variance of dg grows alike.
#include "simd.hpp"

namespace civitas::strided {
inline namespace CIVITAS_SET {

/// Numbers of a patch along one dimension, and products.
constexpr int side_of(int m) { return m + 1; }
/// Products of a patch in two dimensions.
constexpr int points_of(int m) { return side_of(m) * side_of(m); }

/// a factor + b, and -a factor + b: at a point and at its opposite.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void at_both(Floats a, float factor, Floats b,
                                                            Floats& at_point, Floats& at_opposite) {
    at_point = scaled(a, factor, b);
    at_opposite = scaled(a, -factor, b);
}

/// The points of F(2, 2) beside infinity: c and -c.
struct Two {
    static constexpr float c = 2.0F / 3, c2 = c * c;
    static constexpr float at_c = 1 / (2 * c);  ///< 1 over the derivative at c of x^2 - c^2
};

/// The points of F(4, 2) beside infinity: a, -a, b and -b.
struct Four {
    static constexpr float a = 1.25F, b = 0.4F;
    static constexpr float a2 = a * a, b2 = b * b;
    /// 1 over the derivative at a, and at b, of (x^2 - a^2) (x^2 - b^2).
    static constexpr float at_a = 1 / (2 * a * (a2 - b2)), at_b = 1 / (2 * b * (b2 - a2));
};

/// B^T: of inputs.
struct DataMap {
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&d)[3], Floats (&t)[3]) {
        at_both(d[0], Two::c, d[1], t[0], t[1]);
        t[2] = scaled(d[0], -Two::c2, d[2]);
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&d)[4], Floats (&t)[4]) {
        t[0] = minus(d[0], d[2]);
        t[1] = plus(d[1], d[2]);
        t[2] = minus(d[2], d[1]);
        t[3] = minus(d[3], d[1]);
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&d)[5], Floats (&t)[5]) {
        const Floats even_a = scaled(d[0], -Four::b2, d[2]), odd_a = scaled(d[1], -Four::b2, d[3]);
        const Floats even_b = scaled(d[0], -Four::a2, d[2]), odd_b = scaled(d[1], -Four::a2, d[3]);
        at_both(even_a, Four::a, odd_a, t[0], t[1]);
        at_both(even_b, Four::b, odd_b, t[2], t[3]);
        t[4] = scaled(even_b, -Four::b2, scaled(d[2], -Four::a2, d[4]));
    }
};

/// G: of filters.
struct FilterMap {
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&g)[2], Floats (&t)[3]) {
        const Floats half = scaled(g[1], 0.5F);
        at_both(g[0], Two::at_c, half, t[0], t[1]);
        t[2] = g[1];
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&g)[2], Floats (&t)[4]) {
        t[0] = g[0];
        t[1] = scaled(plus(g[0], g[1]), 0.5F);
        t[2] = scaled(minus(g[0], g[1]), 0.5F);
        t[3] = g[1];
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&g)[2], Floats (&t)[5]) {
        const Floats of_a = scaled(g[1], Four::at_a * Four::a);
        const Floats of_b = scaled(g[1], Four::at_b * Four::b);
        at_both(g[0], Four::at_a, of_a, t[0], t[1]);
        at_both(g[0], Four::at_b, of_b, t[2], t[3]);
        t[4] = g[1];
    }
};

/// A^T: of products, to results.
struct ResultMap {
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&p)[3], Floats (&y)[2]) {
        y[0] = plus(p[0], p[1]);
        y[1] = scaled(minus(p[0], p[1]), Two::c, p[2]);
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&p)[4], Floats (&y)[3]) {
        const Floats even = plus(p[1], p[2]);
        y[0] = plus(p[0], even);
        y[1] = minus(p[1], p[2]);
        y[2] = plus(even, p[3]);
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&p)[5], Floats (&y)[4]) {
        const Floats even_a = plus(p[0], p[1]), odd_a = scaled(minus(p[0], p[1]), Four::a);
        const Floats even_b = plus(p[2], p[3]), odd_b = scaled(minus(p[2], p[3]), Four::b);
        y[0] = plus(even_a, even_b);
        y[1] = plus(odd_a, odd_b);
        y[2] = scaled(even_a, Four::a2, scaled(even_b, Four::b2));
        y[3] = scaled(odd_a, Four::a2, scaled(odd_b, Four::b2, p[4]));
    }
};

/// A: of gradients of results.
struct ErrorMap {
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&e)[2], Floats (&t)[3]) {
        at_both(e[1], Two::c, e[0], t[0], t[1]);
        t[2] = e[1];
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&e)[3], Floats (&t)[4]) {
        const Floats even = plus(e[0], e[2]);
        t[0] = e[0];
        t[1] = plus(even, e[1]);
        t[2] = minus(even, e[1]);
        t[3] = e[2];
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&e)[4], Floats (&t)[5]) {
        const Floats even_a = scaled(e[2], Four::a2, e[0]), odd_a = scaled(e[3], Four::a2, e[1]);
        const Floats even_b = scaled(e[2], Four::b2, e[0]), odd_b = scaled(e[3], Four::b2, e[1]);
        at_both(odd_a, Four::a, even_a, t[0], t[1]);
        at_both(odd_b, Four::b, even_b, t[2], t[3]);
        t[4] = e[3];
    }
};

/// G^T: of products, to gradients of filters.
struct GradientMap {
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&p)[3], Floats (&g)[2]) {
        g[0] = scaled(minus(p[0], p[1]), Two::at_c);
        g[1] = scaled(plus(p[0], p[1]), 0.5F, p[2]);
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&p)[4], Floats (&g)[2]) {
        g[0] = scaled(plus(p[1], p[2]), 0.5F, p[0]);
        g[1] = scaled(minus(p[1], p[2]), 0.5F, p[3]);
    }
    [[CIVITAS_VECTORS, gnu::always_inline]] static void of(const Floats (&p)[5], Floats (&g)[2]) {
        g[0] = scaled(minus(p[0], p[1]), Four::at_a, scaled(minus(p[2], p[3]), Four::at_b));
        g[1] = scaled(plus(p[0], p[1]), Four::at_a * Four::a,
                      scaled(plus(p[2], p[3]), Four::at_b * Four::b, p[4]));
    }
};

/// A map of one row or column: of vectors that lie `apart` from each other, to others that do.
template <class Map, int from, int to, std::int64_t x_apart, std::int64_t y_apart>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void map_line(const Floats* x, Floats* y) {
    Floats line[from], mapped[to];
#pragma GCC unroll 5
    for (int i = 0; i < from; ++i) line[i] = x[i * x_apart];
    Map::of(line, mapped);
#pragma GCC unroll 5
    for (int i = 0; i < to; ++i) y[i * y_apart] = mapped[i];
}

/// A map of each row of a square, whose rows lie one after the other.
template <class Map, int from, int to>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void map_rows(const Floats (&x)[from * from],
                                                             Floats (&y)[from * to]) {
#pragma GCC unroll 5
    for (std::int64_t row = 0; row < from; ++row)
        map_line<Map, from, to, 1, 1>(x + row * from, y + row * to);
}

/// A map along both dimensions of a square.
template <class Map, int from, int to>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void map_square(const Floats (&x)[from * from],
                                                               Floats (&y)[to * to]) {
    Floats half[from * to];
    map_rows<Map, from, to>(x, half);
#pragma GCC unroll 5
    for (std::int64_t column = 0; column < to; ++column)
        map_line<Map, from, to, to, to>(half + column, y + column);
}

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
