#pragma once
/// The linear maps of Winograd's F(m, 2), m in {2, 4}, as matrices, and both dimensions of a
/// square by one of them. What points they interpolate at, and why, strided/winograd_maps.hpp
/// says. Compiled for a GPU by nvcc, and for a CPU by the tests.
#include "unrolled.hpp"

namespace civitas::gpu::winograd {

/// Products of a patch of m x m results.
template <int m>
constexpr int points_of = (m + 1) * (m + 1);

template <int rows, int columns>
struct Matrix {
    float at[rows][columns];
};

template <int rows, int columns>
C10_HOST_DEVICE constexpr Matrix<columns, rows> transposed(const Matrix<rows, columns>& a) {
    Matrix<columns, rows> t{};
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) t.at[j][i] = a.at[i][j];
    return t;
}

/// y = A^T ((G g) * (B^T d)).
template <int m>
struct Maps;

/// Points c, -c and infinity.
template <>
struct Maps<2> {
    static constexpr float c = 2.0F / 3;
    C10_HOST_DEVICE static constexpr Matrix<3, 3> data() {
        return {{{c, 1, 0}, {-c, 1, 0}, {-c * c, 0, 1}}};
    }
    C10_HOST_DEVICE static constexpr Matrix<3, 2> filter() {
        return {{{1 / (2 * c), 0.5F}, {-1 / (2 * c), 0.5F}, {0, 1}}};
    }
    C10_HOST_DEVICE static constexpr Matrix<2, 3> result() { return {{{1, 1, 0}, {c, -c, 1}}}; }
};

/// Points a, -a, b, -b and infinity.
template <>
struct Maps<4> {
    static constexpr float a = 1.25F, b = 0.4F, a2 = a * a, b2 = b * b;
    /// 1 over the derivative at a, and at b, of (x^2 - a^2) (x^2 - b^2).
    static constexpr float at_a = 1 / (2 * a * (a2 - b2)), at_b = 1 / (2 * b * (b2 - a2));
    C10_HOST_DEVICE static constexpr Matrix<5, 5> data() {
        return {{{-a * b2, -b2, a, 1, 0},
                 {a * b2, -b2, -a, 1, 0},
                 {-b * a2, -a2, b, 1, 0},
                 {b * a2, -a2, -b, 1, 0},
                 {a2 * b2, 0, -(a2 + b2), 0, 1}}};
    }
    C10_HOST_DEVICE static constexpr Matrix<5, 2> filter() {
        return {{{at_a, at_a * a}, {-at_a, at_a * a}, {at_b, at_b * b}, {-at_b, at_b * b}, {0, 1}}};
    }
    C10_HOST_DEVICE static constexpr Matrix<4, 5> result() {
        return {{{1, 1, 1, 1, 0},
                 {a, -a, b, -b, 0},
                 {a2, a2, b2, b2, 0},
                 {a * a2, -a * a2, b * b2, -b * b2, 1}}};
    }
};

/// B^T, of inputs.
template <int m>
struct OfData {
    static constexpr int size = m, from = m + 1, to = m + 1;
    C10_HOST_DEVICE static constexpr auto matrix() { return Maps<m>::data(); }
};
/// G, of filters.
template <int m>
struct OfFilter {
    static constexpr int size = m, from = 2, to = m + 1;
    C10_HOST_DEVICE static constexpr auto matrix() { return Maps<m>::filter(); }
};
/// A^T, of products, to results.
template <int m>
struct OfProducts {
    static constexpr int size = m, from = m + 1, to = m;
    C10_HOST_DEVICE static constexpr auto matrix() { return Maps<m>::result(); }
};
/// A, of gradients of results.
template <int m>
struct OfErrors {
    static constexpr int size = m, from = m, to = m + 1;
    C10_HOST_DEVICE static constexpr auto matrix() { return transposed(Maps<m>::result()); }
};
/// G^T, of products, to gradients of filters.
template <int m>
struct OfGradientProducts {
    static constexpr int size = m, from = m + 1, to = 2;
    C10_HOST_DEVICE static constexpr auto matrix() { return transposed(Maps<m>::filter()); }
};

/// A map of one row or column, whose numbers lie `x_apart` from each other.
template <class Map, int x_apart, int y_apart, class T>
C10_HOST_DEVICE void map_line(const T* x, T* y) {
    unrolled<Map::to>([&](auto row) {
        T sum{};
        unrolled<Map::from>([&](auto column) {
            constexpr int i = row.value, j = column.value;
            constexpr float factor = Map::matrix().at[i][j];
            if constexpr (factor != 0) sum += factor * x[j * x_apart];
        });
        y[row.value * y_apart] = sum;
    });
}

/// A map along both dimensions of a square, whose rows lie one after the other.
template <class Map, class T>
C10_HOST_DEVICE void map_square(const T (&x)[Map::from * Map::from], T (&y)[Map::to * Map::to]) {
    T half[Map::from * Map::to];
    unrolled<Map::from>([&](auto row) {
        map_line<Map, 1, 1>(x + row.value * Map::from, half + row.value * Map::to);
    });
    unrolled<Map::to>([&](auto column) {
        map_line<Map, Map::to, Map::to>(half + column.value, y + column.value);
    });
}

}  // namespace civitas::gpu::winograd
