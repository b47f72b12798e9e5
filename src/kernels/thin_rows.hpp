#pragma once
/// What thin convolutions do to one row of the small image, and its four rows of the big one.
#include "simd.hpp"

namespace civitas::kernels::thin {

constexpr std::int64_t taps = 16;          ///< of a kernel
constexpr std::int64_t most_channels = 4;  ///< of the big image: four taps in a row fill a vector
constexpr std::int64_t panels = 2;         ///< of the taps, by tiles

/// Where products of a row of pixels and the weights lie. The four taps (ky, 0..3) of a row of the
/// kernel, C numbers each, are neighbours: by vectors those of all ky follow each other for each
/// pixel, by tiles each has sixteen columns of a panel, which goes through all pixels.
template <class T>
struct ProductLayout {
    std::int64_t pixels;
    std::int64_t channels;  ///< of the big image
    bool tiles = multiplies_tiles<T>();

    /// Of a matrix of weights, too.
    [[nodiscard]] std::int64_t columns() const { return tiles ? panels * panel : taps * channels; }
    [[nodiscard]] std::int64_t size() const { return pixels * columns(); }
    /// The taps of the first pixel, and how far it is to those of the next.
    [[nodiscard]] std::int64_t begin(std::int64_t ky) const {
        return tiles ? ky / 2 * pixels * panel + ky % 2 * lanes : ky * 4 * channels;
    }
    [[nodiscard]] std::int64_t apart() const { return tiles ? panel : columns(); }
};

/// Weights as what `row_products` multiplies by, as many columns as its layout has: of bf16 two
/// rows lie in one, word by word.
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
/// What each pixel adds to its patch of the big image, as ProductLayout has it.
template <class T>
void row_products(SmallRow<T> small, const Word* packed, std::int64_t big_channels,
                  float* products);

/// Adds up one row of the big image from the products of the two rows of the small one that reach
/// it: the four taps (ky, 0..3) of all pixels of each.
struct TapRows {
    const float* near;
    const float* far;
    std::int64_t apart;     ///< from a pixel's taps to those of the next
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
/// The four taps (ky, 0..3) of the patches along a row, as words of pixels, `apart` words each.
template <class T>
void pack_patches(BigRow<T> row, Word* to, std::int64_t apart);

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
