#include "thin_rows.hpp"

#include <algorithm>
#include <cstring>

namespace civitas::kernels::thin {
namespace {

/// A matrix whose word (m, k) lies m * row + k * word bytes behind `data`.
struct Factor {
    const char* data;
    std::int64_t row, word;
    Factor(const void* first, std::int64_t words_to_row, std::int64_t words_to_word)
        : data(static_cast<const char*>(first)),
          row(words_to_row * std::int64_t{sizeof(Word)}),
          word(words_to_word * std::int64_t{sizeof(Word)}) {}
};

/// c[m][.] = (add ? c[m][.] : 0) + sum over k < words of a(m, k) b[k][.], `rows` rows of `vectors`
/// vectors each, summed over ascending k.
template <class T, int vectors, int rows>
[[CIVITAS_AVX512]] void multiply_rows(Factor a, const Word* b, std::int64_t words, bool add,
                                      float* c) {
    constexpr std::int64_t width = vectors * lanes;
    __m512 sum[rows][vectors];
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            sum[i][v] = add ? _mm512_loadu_ps(c + i * width + v * lanes) : _mm512_setzero_ps();
    for (std::int64_t k = 0; k < words; ++k) {
        __m512i right[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) right[v] = _mm512_loadu_si512(b + k * width + v * lanes);
        const char* column = a.data + k * a.word;
#pragma GCC unroll 12
        for (int i = 0; i < rows; ++i) {
            int word;
            std::memcpy(&word, column + i * a.row, sizeof word);
            const __m512i left = _mm512_set1_epi32(word);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[i][v] = add_product(sum[i][v], left, right[v], T());
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) _mm512_storeu_ps(c + i * width + v * lanes, sum[i][v]);
}

/// What will be read soon: so many bytes for each row of a product that is computed meanwhile.
/// (Prefetching by the processor alone leaves it waiting.) There may be nothing: it cannot fail.
struct Ahead {
    const char* first;
    std::int64_t bytes;
    void fetch(std::int64_t rows) {
        constexpr std::int64_t line = 64;
        for (std::int64_t i = 0; i < rows * bytes; i += line) __builtin_prefetch(first + i);
        first += rows * bytes;
    }
};

template <class T, int vectors>
void multiply_vectors(std::int64_t rows, Factor a, const Word* b, std::int64_t words, Ahead ahead,
                      bool add, float* c) {
    constexpr int most_rows = vectors < 3 ? 12 : 24 / vectors;  // sums fit the registers
    constexpr std::int64_t columns = std::int64_t{vectors} * lanes;
    for (; rows >= most_rows; rows -= most_rows, c += most_rows * columns) {
        ahead.fetch(most_rows);
        multiply_rows<T, vectors, most_rows>(a, b, words, add, c);
        a.data += most_rows * a.row;
    }
    for (; rows > 0; --rows, c += vectors * lanes, a.data += a.row)
        multiply_rows<T, vectors, 1>(a, b, words, add, c);
}

/// With a vector for each channel of the big image.
template <class T>
void multiply_by_channels(std::int64_t big_channels, std::int64_t rows, Factor a, const Word* b,
                          std::int64_t words, Ahead ahead, bool add, float* c) {
    switch (big_channels) {
        case 1: return multiply_vectors<T, 1>(rows, a, b, words, ahead, add, c);
        case 2: return multiply_vectors<T, 2>(rows, a, b, words, ahead, add, c);
        case 3: return multiply_vectors<T, 3>(rows, a, b, words, ahead, add, c);
        default: return multiply_vectors<T, 4>(rows, a, b, words, ahead, add, c);
    }
}

/// The lanes of four pixels from `first` on that lie inside: a row begins after the first tap of
/// its first patch, and ends before the last tap of its last one.
template <class T>
__mmask16 inside(const BigRow<T>& row, std::int64_t first) {
    const unsigned end = 1U << ((first + 4 > row.pixels ? 3 : 4) * row.channels);
    const unsigned begin = first < 0 ? 1U << row.channels : 1;
    return static_cast<__mmask16>(end - begin);
}

template <class T>
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i patch_words(const BigRow<T>& from,
                                                                  std::int64_t first) {
    return words_at(from.first + first * from.channels, static_cast<const T*>(nullptr),
                    inside(from, first));
}

template <class T>
[[CIVITAS_AVX512]] void pack_words(BigRow<T> from, Word* to, std::int64_t apart) {
    constexpr std::int64_t step = 2 * numbers_per_word<T>;
    const __mmask16 four = lanes_from(0, 4 * from.channels);
    for (std::int64_t x = -1; x < from.pixels - 1; x += step, to += apart) {
        __m512i words = _mm512_setzero_si512();
        if (from.first != nullptr) {
            words = patch_words(from, x);
            if (numbers_per_word<T> == 2 && x + 2 < from.pixels - 1)
                words = _mm512_or_si512(words, _mm512_slli_epi32(patch_words(from, x + 2), 16));
        }
        _mm512_mask_storeu_epi32(to, four, words);
    }
}

/// Windows of four taps, two pixels apart: halves that lie on each other are added.
template <class T>
[[CIVITAS_AVX512]] void add_windows(TapRows rows, T* big) {
    const std::int64_t c = rows.channels;
    const __mmask16 four = lanes_from(0, 4 * c), two = lanes_from(0, 2 * c);
    const __m512i upper =
        _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                         _mm512_set1_epi32(static_cast<int>(2 * c)));
    __m512 before = _mm512_setzero_ps();
    big -= c;  // the first tap of the first pixel lies outside
    __mmask16 there = two & ~lanes_from(0, c);
    for (std::int64_t x = 0; x < rows.pixels; ++x, there = two) {
        const std::int64_t at = x * rows.apart;
        const __m512 sum = _mm512_add_ps(load(rows.near + at, four), load(rows.far + at, four));
        store(big + 2 * c * x, there, _mm512_add_ps(sum, before));
        before = _mm512_maskz_permutexvar_ps(two, upper, sum);
    }
    store(big + 2 * c * rows.pixels, lanes_from(0, c), before);
}

/// Rows of two times four taps as a panel: each four begin half of it.
template <class T>
[[CIVITAS_AVX512]] void pack_panel(Numbers<T> from, Word* to) {
    constexpr std::int64_t step = numbers_per_word<T>;
    const std::int64_t four = from.columns / 2;
    const __mmask16 there = lanes_from(0, four);
    for (std::int64_t r = 0; r < from.rows; r += step)
        for (const std::int64_t half : {std::int64_t{0}, four}) {
            const T* row = from.first + r * from.apart + half;
            _mm512_storeu_si512(to, words_at(row, row + (step - 1) * from.apart, there));
            to += lanes;
        }
}

}  // namespace

template <class T>
void pack_weights(const T* weight, std::int64_t small_channels, std::int64_t big_channels,
                  Word* packed) {
    const std::int64_t columns = taps * big_channels;
    if (!multiplies_tiles<T>())
        return pack_rows<T>({weight, small_channels, columns, columns}, packed);
    for (std::int64_t p = 0; p < panels; ++p)
        pack_panel<T>({weight + p * columns / panels, small_channels, columns / panels, columns},
                      packed + p * small_channels / numbers_per_word<T> * panel);
}

template <class T>
void row_products(SmallRow<T> small, const Word* packed, std::int64_t big_channels,
                  float* products) {
    const std::int64_t words = small.channels / numbers_per_word<T>;
    if (multiplies_tiles<T>()) {
        for (std::int64_t p = 0; p < panels; ++p)
            multiply<T>(small.pixels, {reinterpret_cast<const Word*>(small.first), words, 1},
                        packed + p * words * panel, words, products + p * small.pixels * panel);
        return;
    }
    const Factor pixels(small.first, words, 1);
    // Two blocks of rows ahead.
    const Ahead ahead{pixels.data + 16 * pixels.row, pixels.row};
    multiply_by_channels<T>(big_channels, small.pixels, pixels, packed, words, ahead, false,
                            products);
}

template <class T>
void add_taps(TapRows rows, T* big) {
    add_windows(rows, big);
}

template <class T>
void pack_patches(BigRow<T> row, Word* to, std::int64_t apart) {
    pack_words(row, to, apart);
}

template <class T>
void add_weight_gradient(SmallRow<T> small, const BigRows<T>& big, RowWords room, float* gradient) {
    const std::int64_t k = divide_up(small.pixels, numbers_per_word<T>);
    for (std::int64_t ky = 0; ky < 4; ++ky)
        pack_words<T>({big.rows[ky], 2 * small.pixels, big.channels},
                      room.patches + ky * 4 * big.channels, taps * big.channels);
    const bool packed = numbers_per_word<T> > 1;
    if (packed)
        pack_rows<T>({small.first, small.pixels, small.channels, small.channels}, room.pixels);
    const void* first = packed ? static_cast<const void*>(room.pixels) : small.first;
    const char* next = reinterpret_cast<const char*>(small.first + small.pixels * small.channels);
    constexpr std::int64_t block = 64;  // words of both factors that fit the fastest cache
    for (std::int64_t begin = 0; begin < k; begin += block) {
        const std::int64_t words = std::min(block, k - begin);
        Factor pixels(first, 1, small.channels);
        pixels.data += begin * pixels.word;
        multiply_by_channels<T>(
            big.channels, small.channels, pixels, room.patches + begin * taps * big.channels, words,
            {next + begin * pixels.word, words * std::int64_t{sizeof(Word)}}, true, gradient);
    }
}

template void pack_weights(const float*, std::int64_t, std::int64_t, Word*);
template void pack_weights(const c10::BFloat16*, std::int64_t, std::int64_t, Word*);
template void row_products(SmallRow<float>, const Word*, std::int64_t, float*);
template void row_products(SmallRow<c10::BFloat16>, const Word*, std::int64_t, float*);
template void pack_patches(BigRow<float>, Word*, std::int64_t);
template void pack_patches(BigRow<c10::BFloat16>, Word*, std::int64_t);
template void add_taps(TapRows, float*);
template void add_taps(TapRows, c10::BFloat16*);
template void add_weight_gradient(SmallRow<float>, const BigRows<float>&, RowWords, float*);
template void add_weight_gradient(SmallRow<c10::BFloat16>, const BigRows<c10::BFloat16>&, RowWords,
                                  float*);

}  // namespace civitas::kernels::thin
