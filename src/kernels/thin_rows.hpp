#pragma once
/// What thin convolutions do to one row of the small image, and its four rows of the big one.
#include "simd.hpp"

namespace civitas::kernels::thin {

constexpr std::int64_t taps = 16;          ///< of a kernel
constexpr std::int64_t most_channels = 4;  ///< of the big image: four taps in a row fill a vector

/// Weights as what `row_products` multiplies by: of bf16 two rows lie in one, word by word.
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
/// products[pixel][tap][c]: what each pixel adds to its patch of the big image.
template <class T>
void row_products(SmallRow<T> small, const Word* packed, std::int64_t big_channels,
                  float* products);

/// Adds up one row of the big image from the products of the two rows of the small one that reach
/// it: each has the four taps (ky, 0..3) of its pixel at `first` + pixel * 16 channels.
struct TapRows {
    const float* near;
    const float* far;
    std::int64_t pixels;    ///< of a row of the small image
    std::int64_t channels;  ///< of the big one
};
template <class T>
void add_taps(TapRows rows, T* big);

/// Room for one row's patches and pixels, as words.
struct RowWords {
    Word* patches;  ///< patches[k][tap][c]: k is a pixel, of bf16 two
    Word* pixels;   ///< pixels[k][channel]; unused in fp32
};
/// Rows -1 to 2 of the big image about a row of the small one; null: outside the image.
template <class T>
struct BigRows {
    const T* rows[4];
    std::int64_t channels;
};
/// gradient[channel][tap][c] += sum over pixels of small[pixel][channel] patch[pixel][tap][c].
template <class T>
void add_weight_gradient(SmallRow<T> small, const BigRows<T>& big, RowWords room, float* gradient);

}  // namespace civitas::kernels::thin
