#pragma once
/// What convolutions to a picture do to one row of pixels.
#include "simd.hpp"

namespace civitas::kernels::picture {
inline namespace CIVITAS_SET {

constexpr std::int64_t side = 3;  ///< of a kernel
constexpr std::int64_t taps = side * side;
constexpr std::int64_t most_channels = 3;  ///< of a picture: the taps of all fill one panel

/// Three rows of a picture, one below the other; null: outside of it.
template <class T>
struct PictureRows {
    const T* rows[side];
    std::int64_t pixels, channels;
};

/// The pixels around each pixel of the middle row, (pixel, ky, kx, channel), those outside being 0.
/// There are `apart` numbers from one patch to the next; what lies between them is not written.
template <class T>
void write_patches(const PictureRows<T>& picture, std::int64_t apart, T* patches);

/// Products of three rows of pixels one below the other and the weights: for each pixel a panel of
/// (ky, kx, channel).
struct ProductRows {
    const float* rows[side];
    std::int64_t pixels, channels;
};
/// A row of the picture: of each tap the product of the pixel that it reads.
template <class T>
void add_taps(const ProductRows& products, T* picture);

/// A row of pixels from a panel of their channels: numbers first, first + 1, ... of each.
template <class T>
struct ChannelPanel {
    T* first;
    std::int64_t pixels, channels;
};
template <class T>
void write_panel(const float* panel, ChannelPanel<T> to);

}  // namespace CIVITAS_SET
}  // namespace civitas::kernels::picture
