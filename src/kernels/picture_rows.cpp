#include "picture_rows.hpp"

#include <algorithm>

namespace civitas::kernels::picture {
namespace {

[[CIVITAS_AVX512, gnu::always_inline]] inline void copy(const float* from, __mmask16 inside,
                                                        float* to, __mmask16 all) {
    _mm512_mask_storeu_ps(to, all, _mm512_maskz_loadu_ps(inside, from));
}
[[CIVITAS_AVX512, gnu::always_inline]] inline void copy(const c10::BFloat16* from, __mmask16 inside,
                                                        c10::BFloat16* to, __mmask16 all) {
    _mm256_mask_storeu_epi16(to, all, _mm256_maskz_loadu_epi16(inside, from));
}

/// One row of all patches.
template <class T>
[[CIVITAS_AVX512]] void write_row(const T* row, std::int64_t pixels, std::int64_t channels,
                                  std::int64_t apart, T* to) {
    const __mmask16 all = lanes_from(0, side * channels);
    const auto after_first = static_cast<__mmask16>(all & ~lanes_from(0, channels));
    const __mmask16 before_last = lanes_from(0, 2 * channels);
    for (std::int64_t x = 0; x < pixels; ++x, to += apart) {
        __mmask16 inside = row == nullptr ? 0 : all;
        if (x == 0) inside &= after_first;
        if (x == pixels - 1) inside &= before_last;
        copy(row == nullptr ? to : row + (x - 1) * channels, inside, to, all);
    }
}

/// Of each ky the three taps of a row, all added up: what a pixel adds to its neighbours in the
/// row.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 added(const ProductRows& of, std::int64_t x,
                                                           __mmask16 three) {
    if (x >= of.pixels) return _mm512_setzero_ps();
    const float* const* rows = of.rows;
    const std::int64_t at = x * panel, next = side * of.channels;
    const __m512 two = _mm512_add_ps(load(rows[0] + at, three), load(rows[1] + at + next, three));
    return _mm512_add_ps(two, load(rows[2] + at + 2 * next, three));
}

/// The first channels are those of the tap before, then those of the pixel itself and of the one
/// behind.
template <class T>
[[CIVITAS_AVX512]] void add_products(const ProductRows& products, T* picture) {
    const std::int64_t c = products.channels;
    const __mmask16 three = lanes_from(0, side * c), one = lanes_from(0, c);
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i middle = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<int>(c)));
    const __m512i last = _mm512_add_epi32(middle, _mm512_set1_epi32(static_cast<int>(c)));
    __m512 before = _mm512_setzero_ps(), at = added(products, 0, three);
    for (std::int64_t x = 0; x < products.pixels; ++x, picture += c) {
        const __m512 behind = added(products, x + 1, three);
        const __m512 left = _mm512_add_ps(before, _mm512_permutexvar_ps(middle, at));
        store(picture, one, _mm512_add_ps(left, _mm512_permutexvar_ps(last, behind)));
        before = at;
        at = behind;
    }
}

template <class T>
[[CIVITAS_AVX512]] void write_vectors(const float* from, ChannelPanel<T> to) {
    for (std::int64_t x = 0; x < to.pixels; ++x)
        for (std::int64_t i = 0; i < panel; i += lanes)
            store(to.first + x * to.channels + i, 0xffff, _mm512_loadu_ps(from + x * panel + i));
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

}  // namespace civitas::kernels::picture
