#pragma once
/// What thin convolutions do to one row of the small image, and its four rows of the big one.
#include "simd.hpp"

namespace civitas::kernels::thin {
inline namespace CIVITAS_SET {

constexpr std::int64_t side = 4;            ///< of a kernel
constexpr std::int64_t taps = side * side;  ///< of a kernel
constexpr std::int64_t most_channels = 4;   ///< of the big image: four taps in a row fill a vector

/// Panels that hold the sixteen taps: eight taps each, of ky 0 and 1 and of ky 2 and 3. The first
/// four begin column 0 of a panel, the others column 16.
constexpr std::int64_t panels = 2;

/// Where the taps (ky, 0..3) of the first of some rows begin, C_big numbers, where panels of so
/// many rows follow each other. Those of the next row are `panel` numbers behind.
constexpr std::int64_t taps_begin(std::int64_t ky, std::int64_t rows) {
    return ky / 2 * rows * panel + ky % 2 * lanes;
}

/// Weights (C_small, taps, C_big) as what `row_products` multiplies by: (panel, word of the small
/// image's channels, column).
template <class T>
void pack_weights(const T* weight, std::int64_t small_channels, std::int64_t big_channels,
                  Word* packed);

/// Pixels of a row of the small image.
template <class T>
struct SmallRow {
    const T* first;
    std::int64_t pixels;
    std::int64_t channels;
};
/// What each pixel adds to its patch of the big image: (panel, pixel, column).
template <class T>
void row_products(SmallRow<T> small, const Word* packed, float* products);

/// Adds up one row of the big image from the products of the two rows of the small one that reach
/// it: the taps (ky, 0..3) of the first pixel of each.
struct TapRows {
    const float* near;
    const float* far;
    std::int64_t pixels;    ///< of a row of the small image
    std::int64_t channels;  ///< of the big one
};
template <class T>
void add_taps(TapRows rows, T* big);

/// A row of the big image; null: outside of it.
template <class T>
struct BigRow {
    const T* first;
    std::int64_t pixels;
    std::int64_t channels;
};
/// The taps (ky, 0..3) of the patches along a row, as words: row k of half a panel is of pixel k,
/// in bf16 of pixels 2k and 2k + 1. A row outside gives zeros. Only words of taps are written.
template <class T>
void pack_patches(BigRow<T> row, Word* to);

}  // namespace CIVITAS_SET
}  // namespace civitas::kernels::thin
