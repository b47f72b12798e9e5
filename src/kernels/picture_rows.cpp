#include "picture_rows.hpp"

#include <algorithm>

namespace civitas::kernels::picture {
inline namespace CIVITAS_SET {
namespace {

/// One row of all patches.
template <class T>
[[CIVITAS_VECTORS]] void write_row(const T* row, std::int64_t pixels, std::int64_t channels,
                                   std::int64_t apart, T* to) {
    const Mask all = lanes_from(0, side * channels);
    const auto after_first = static_cast<Mask>(all & ~lanes_from(0, channels));
    const Mask before_last = lanes_from(0, 2 * channels);
    for (std::int64_t x = 0; x < pixels; ++x, to += apart) {
        Mask inside = row == nullptr ? 0 : all;
        if (x == 0) inside &= after_first;
        if (x == pixels - 1) inside &= before_last;
        copy(row == nullptr ? to : row + (x - 1) * channels, inside, to, all);
    }
}

/// Of each ky the three taps of a row, all added up: what a pixel adds to its neighbours in the
/// row.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats added(const ProductRows& of, std::int64_t x,
                                                            Mask three) {
    if (x >= of.pixels) return Floats{};
    const float* const* rows = of.rows;
    const std::int64_t at = x * panel, next = side * of.channels;
    const Floats two = plus(load(rows[0] + at, three), load(rows[1] + at + next, three));
    return plus(two, load(rows[2] + at + 2 * next, three));
}

/// The first channels are those of the tap before, then those of the pixel itself and of the one
/// behind.
template <class T>
[[CIVITAS_VECTORS]] void add_products(const ProductRows& products, T* picture) {
    const std::int64_t c = products.channels;
    const Mask three = lanes_from(0, side * c), one = lanes_from(0, c);
    Floats before{}, at = added(products, 0, three);
    for (std::int64_t x = 0; x < products.pixels; ++x, picture += c) {
        const Floats behind = added(products, x + 1, three);
        const Floats left = plus(before, lanes_behind(at, c));
        store(picture, one, plus(left, lanes_behind(behind, 2 * c)));
        before = at;
        at = behind;
    }
}

template <class T>
[[CIVITAS_VECTORS]] void write_vectors(const float* from, ChannelPanel<T> to) {
    for (std::int64_t x = 0; x < to.pixels; ++x)
        for (std::int64_t i = 0; i < panel; i += lanes)
            store(to.first + x * to.channels + i, every_lane, load(from + x * panel + i));
}

}  // namespace

template <class T>
void write_patches(const PictureRows<T>& picture, std::int64_t apart, T* patches) {
    for (std::int64_t ky = 0; ky < side; ++ky)
        write_row(picture.rows[ky], picture.pixels, picture.channels, apart,
                  patches + ky * side * picture.channels);
}

template <class T>
void add_taps(const ProductRows& products, T* picture) {
    add_products(products, picture);
}

template <class T>
void write_panel(const float* from, ChannelPanel<T> to) {
    write_vectors(from, to);
}

template void write_patches(const PictureRows<float>&, std::int64_t, float*);
template void write_patches(const PictureRows<c10::BFloat16>&, std::int64_t, c10::BFloat16*);
template void add_taps(const ProductRows&, float*);
template void add_taps(const ProductRows&, c10::BFloat16*);
template void write_panel(const float*, ChannelPanel<float>);
template void write_panel(const float*, ChannelPanel<c10::BFloat16>);

}  // namespace CIVITAS_SET
}  // namespace civitas::kernels::picture
