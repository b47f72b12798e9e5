#include "thin_rows.hpp"

#include <algorithm>

namespace civitas::kernels::thin {
inline namespace CIVITAS_SET {
namespace {

/// The lanes of four pixels from `first` on that lie inside: a row begins after the first tap of
/// its first patch, and ends before the last tap of its last one.
template <class T>
Mask inside(const BigRow<T>& row, std::int64_t first) {
    const unsigned end = 1U << ((first + side > row.pixels ? side - 1 : side) * row.channels);
    const unsigned begin = first < 0 ? 1U << row.channels : 1;
    return static_cast<Mask>(end - begin);
}

template <class T>
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words patch_words(const BigRow<T>& from,
                                                                 std::int64_t first) {
    return words_at(from.first + first * from.channels, static_cast<const T*>(nullptr),
                    inside(from, first));
}

template <class T>
[[CIVITAS_VECTORS]] void pack_patch_words(BigRow<T> from, Word* to) {
    constexpr std::int64_t step = 2 * numbers_per_word<T>;
    const Mask four = lanes_from(0, side * from.channels);
    for (std::int64_t x = -1; x < from.pixels - 1; x += step, to += panel) {
        Words words{};
        if (from.first != nullptr) {
            words = patch_words(from, x);
            if (numbers_per_word<T> == 2 && x + 2 < from.pixels - 1)
                words = paired(words, patch_words(from, x + 2));
        }
        store_words(to, four, words);
    }
}

/// Windows of four taps, two pixels apart: halves that lie on each other are added.
template <class T>
[[CIVITAS_VECTORS]] void add_windows(TapRows rows, T* big) {
    const std::int64_t c = rows.channels;
    const Mask four = lanes_from(0, side * c), two = lanes_from(0, 2 * c);
    Floats before{};
    big -= c;  // the first tap of the first pixel lies outside
    Mask there = two & ~lanes_from(0, c);
    for (std::int64_t x = 0; x < rows.pixels; ++x, there = two) {
        const std::int64_t at = x * panel;
        const Floats sum = plus(load(rows.near + at, four), load(rows.far + at, four));
        store(big + 2 * c * x, there, plus(sum, before));
        before = lanes_behind(sum, 2 * c);
    }
    store(big + 2 * c * rows.pixels, lanes_from(0, c), before);
}

/// Rows of eight taps as a panel.
template <class T>
[[CIVITAS_VECTORS]] void pack_panel(Numbers<T> from, Word* to) {
    constexpr std::int64_t step = numbers_per_word<T>;
    const std::int64_t four = from.columns / 2;
    const Mask there = lanes_from(0, four);
    for (std::int64_t r = 0; r < from.rows; r += step)
        for (const std::int64_t half : {std::int64_t{0}, four}) {
            const T* row = from.first + r * from.apart + half;
            store_words(to, words_at(row, row + (step - 1) * from.apart, there));
            to += lanes;
        }
}

}  // namespace

template <class T>
void pack_weights(const T* weight, std::int64_t small_channels, std::int64_t big_channels,
                  Word* packed) {
    const std::int64_t columns = taps * big_channels;
    const std::int64_t words = divide_up(small_channels, numbers_per_word<T>);
    for (std::int64_t p = 0; p < panels; ++p)
        pack_panel<T>({weight + p * columns / panels, small_channels, columns / panels, columns},
                      packed + p * words * panel);
}

template <class T>
void row_products(SmallRow<T> small, const Word* packed, float* products) {
    constexpr std::int64_t some = 2 * rows_of_tiles;
    const std::int64_t words = small.channels / numbers_per_word<T>;
    const auto* from = reinterpret_cast<const Word*>(small.first);
    for (std::int64_t x = 0; x < small.pixels; x += some, from += some * words) {
        for (std::int64_t i = 0; i < some * words; i += lanes)
            __builtin_prefetch(from + some * words + i);
        for (std::int64_t p = 0; p < panels; ++p)
            multiply<T>(std::min(some, small.pixels - x), {from, words, 1},
                        packed + p * words * panel, words,
                        products + (p * small.pixels + x) * panel);
    }
}

template <class T>
void add_taps(TapRows rows, T* big) {
    add_windows(rows, big);
}

template <class T>
void pack_patches(BigRow<T> row, Word* to) {
    pack_patch_words(row, to);
}

template void pack_weights(const float*, std::int64_t, std::int64_t, Word*);
template void pack_weights(const c10::BFloat16*, std::int64_t, std::int64_t, Word*);
template void row_products(SmallRow<float>, const Word*, float*);
template void row_products(SmallRow<c10::BFloat16>, const Word*, float*);
template void pack_patches(BigRow<float>, Word*);
template void pack_patches(BigRow<c10::BFloat16>, Word*);
template void add_taps(TapRows, float*);
template void add_taps(TapRows, c10::BFloat16*);

}  // namespace CIVITAS_SET
}  // namespace civitas::kernels::thin
