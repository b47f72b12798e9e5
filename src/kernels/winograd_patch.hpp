#pragma once
/// Where patches of images lie, and the three linear maps of F(2x2, 2x2). Nine numbers stand for a
/// matrix of 3 x 3, four for one of 2 x 2, row by row.
#include "simd.hpp"

namespace civitas::kernels::winograd {

constexpr int points = 9;  ///< products for four results
constexpr int phases = 4;  ///< of a big image
constexpr int kernel = 4;  ///< its side

/// A channels-last image of T.
template <class T>
struct Image {
    T* data;
    std::int64_t batch, height, width, channels;
    [[nodiscard]] T* pixel(std::int64_t b, std::int64_t y, std::int64_t x) const {
        return data + ((b * height + y) * width + x) * channels;
    }
};

/// Every step-th row and column of an image from a first one on, which may lie outside.
struct Grid {
    std::int64_t row, column, step;
};

/// The two phases of one dimension in both: rows of phase p / 2, columns of phase p % 2.
constexpr std::int64_t row_phase(int phase) { return phase / 2; }
constexpr std::int64_t column_phase(int phase) { return phase % 2; }

/// A phase of a big image, whose padding is the first row and column of the even ones.
constexpr Grid phase_grid(int phase) { return {row_phase(phase) - 1, column_phase(phase) - 1, 2}; }

/// Which 2x2 pixels of a grid are meant: those from (2 row, 2 column) on.
struct Patch {
    std::int64_t image, row, column;
};

/// All patches of a small image, numbered row by row and image by image.
struct Patches {
    std::int64_t batch, down, across;
    template <class T>
    explicit Patches(const Image<T>& small)
        : batch(small.batch), down(divide_up(small.height, 2)), across(divide_up(small.width, 2)) {}
    [[nodiscard]] std::int64_t count() const { return batch * down * across; }
    [[nodiscard]] Patch at(std::int64_t number) const {
        return {number / (down * across), number / across % down, number % across};
    }
};

/// Finds the side x side pixels of a grid from a patch's first on; `outside` stands for those that
/// are not in the image.
template <int side, class T>
void find_pixels(const Image<T>& image, Grid grid, Patch patch, T* outside,
                 T* (&pixels)[side * side]) {
    for (int i = 0; i < side * side; ++i) {
        const std::int64_t y = grid.row + grid.step * (2 * patch.row + i / side);
        const std::int64_t x = grid.column + grid.step * (2 * patch.column + i % side);
        const bool inside = y >= 0 && y < image.height && x >= 0 && x < image.width;
        pixels[i] = inside ? image.pixel(patch.image, y, x) : outside;
    }
}

/// (d0, d1, d2) -> (d0-d1, d1, d2-d1) along both dimensions: of inputs.
template <class T>
[[CIVITAS_AVX512, gnu::always_inline]] inline void differences(const T* const (&pixels)[9],
                                                               std::int64_t channel,
                                                               __mmask16 there, __m512 (&d)[9]) {
    for (int i = 0; i < 9; i += 3) {
        const __m512 middle = load(pixels[i + 1] + channel, there);
        d[i] = _mm512_sub_ps(load(pixels[i] + channel, there), middle);
        d[i + 1] = middle;
        d[i + 2] = _mm512_sub_ps(load(pixels[i + 2] + channel, there), middle);
    }
    for (int i = 0; i < 3; ++i) {
        d[i] = _mm512_sub_ps(d[i], d[i + 3]);
        d[i + 6] = _mm512_sub_ps(d[i + 6], d[i + 3]);
    }
}

/// (g0, g1) -> (g0, g0+g1, g1) along both dimensions: of kernels and of gradients of results.
template <class T>
[[CIVITAS_AVX512, gnu::always_inline]] inline void sums(const T* const (&pixels)[4],
                                                        std::int64_t channel, __mmask16 there,
                                                        __m512 (&s)[9]) {
    s[0] = load(pixels[0] + channel, there);
    s[2] = load(pixels[1] + channel, there);
    s[6] = load(pixels[2] + channel, there);
    s[8] = load(pixels[3] + channel, there);
    s[1] = _mm512_add_ps(s[0], s[2]);
    s[7] = _mm512_add_ps(s[6], s[8]);
    for (int i = 0; i < 3; ++i) s[i + 3] = _mm512_add_ps(s[i], s[i + 6]);
}

/// (m0, m1, m2) -> (m0+m1, m1+m2) along both dimensions: of products. m[i * apart] is the i-th.
[[CIVITAS_AVX512, gnu::always_inline]] inline void results(const float* m, std::int64_t apart,
                                                           __m512 (&y)[4]) {
    __m512 rows[6];
    for (std::int64_t i = 0; i < 3; ++i) {
        const float* row = m + 3 * i * apart;
        const __m512 middle = _mm512_loadu_ps(row + apart);
        rows[2 * i] = _mm512_add_ps(_mm512_loadu_ps(row), middle);
        rows[2 * i + 1] = _mm512_add_ps(middle, _mm512_loadu_ps(row + 2 * apart));
    }
    for (int i = 0; i < 4; ++i) y[i] = _mm512_add_ps(rows[i], rows[i + 2]);
}

}  // namespace civitas::kernels::winograd
