#pragma once
/// Numbers as words of pairs of bf16, which tiles multiply: bf16 as it is, fp32 in three parts.
#include "civitas/simd/pack.hpp"

#include <type_traits>

namespace civitas::simd {
inline namespace avx512 {

/// Numbers of bf16 whose sum is a number of type T: fp32 has three times as many bits (G. Henry,
/// P. T. P. Tang, A. Heinecke, Leveraging the bfloat16 artificial intelligence datatype for
/// higher-precision computations, arXiv 1904.06376).
template <class T>
constexpr int bf16_parts = std::is_same_v<T, float> ? 3 : 1;

/// Words of sixteen pairs, one for each part.
template <class T>
using PairWords = __m512i[bf16_parts<T>];

/// The numbers of a word of a row: those of bf16 are neighbours, those of fp32 sixteen apart.
struct Pair {
    std::int64_t first, second;
};
template <class T>
constexpr Pair pair_of(std::int64_t word) {
    if constexpr (std::is_same_v<T, float>) {
        const std::int64_t first = 2 * word - word % lanes;
        return {first, first + lanes};
    } else {
        return {2 * word, 2 * word + 1};
    }
}

/// The parts of numbers, largest first. The first is rounded towards 0, so that no number becomes
/// infinite, the second to the nearest; what is left has at most eight bits, in the upper half of
/// its own ones unless it is less than 2^-126.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void split(__m512 v, __m512i (&parts)[3]) {
    parts[0] = upper_halves(_mm512_castps_si512(v));
    v = _mm512_sub_ps(v, _mm512_castsi512_ps(parts[0]));
    const __m512i half = _mm512_set1_epi32(0x8000);
    parts[1] = upper_halves(_mm512_add_epi32(_mm512_castps_si512(v), half));
    parts[2] = _mm512_castps_si512(_mm512_sub_ps(v, _mm512_castsi512_ps(parts[1])));
}

/// Words whose first numbers are at `first` and second ones at `second`, which may be missing.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void load_pairs(const c10::BFloat16* first,
                                                               const c10::BFloat16* second,
                                                               __mmask16 there,
                                                               PairWords<c10::BFloat16>& words) {
    words[0] = words_at(first, second, there);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void load_pairs(const float* first,
                                                               const float* second,
                                                               __mmask16 first_there,
                                                               __mmask16 second_there,
                                                               PairWords<float>& words) {
    __m512i low[3], high[3];
    split(load(first, first_there), low);
    split(load(second, second_there), high);
    constexpr __mmask32 upper_halves_alone = 0xaaaaaaaa;
    for (int part = 0; part < 3; ++part)
        words[part] = _mm512_mask_blend_epi16(upper_halves_alone, _mm512_srli_epi32(low[part], 16),
                                              high[part]);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void load_pairs(const float* first,
                                                               const float* second, __mmask16 there,
                                                               PairWords<float>& words) {
    load_pairs(first, second == nullptr ? first : second, there,
               second == nullptr ? __mmask16{0} : there, words);
}

/// The words of `count` numbers of a row, or of the first 32, and zeros behind.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void load_row(const c10::BFloat16* from,
                                                             std::int64_t count,
                                                             PairWords<c10::BFloat16>& words) {
    words[0] = load_words(from, count);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void load_row(const float* from, std::int64_t count,
                                                             PairWords<float>& words) {
    load_pairs(from, count > lanes ? from + lanes : from, lanes_from(0, count),
               lanes_from(lanes, count), words);
}

/// Writes the words of each part, `part` words from each other.
template <std::size_t parts>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_parts(const __m512i (&words)[parts],
                                                                Word* to, std::int64_t part) {
    for (std::size_t p = 0; p < parts; ++p)
        _mm512_storeu_si512(to + static_cast<std::int64_t>(p) * part, words[p]);
}

}  // namespace avx512
}  // namespace civitas::simd
