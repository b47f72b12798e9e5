#pragma once
/// Vectors of sixteen numbers in fp32, read from and written to fp32 or bf16.
#include <c10/util/BFloat16.h>
#include <immintrin.h>
#include <cstdint>

/// An attribute of every function that uses the vectors: the build itself asks for no instructions.
#define CIVITAS_AVX512 gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")

namespace civitas::simd {

constexpr std::int64_t lanes = 16;

/// What products multiply: one number in fp32, or two neighbours in bf16, the first in the low
/// half. (Tiles multiply fp32 as pairs of bf16, too: civitas/simd/parts.hpp.)
using Word = std::uint32_t;
template <class T>
constexpr std::int64_t numbers_per_word = sizeof(Word) / sizeof(T);

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

/// The lanes that there are of `count` numbers from `begin` on: all, some or none.
constexpr __mmask16 lanes_from(std::int64_t begin, std::int64_t count) {
    const std::int64_t left = count - begin;
    if (left <= 0) return 0;
    return static_cast<__mmask16>(left >= lanes ? 0xffff : (1 << left) - 1);
}

/// Lanes that are not there are 0.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 load(const float* from, __mmask16 there) {
    return _mm512_maskz_loadu_ps(there, from);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 load(const c10::BFloat16* from,
                                                          __mmask16 there) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

[[CIVITAS_AVX512, gnu::always_inline]] inline void store(float* to, __mmask16 there, __m512 v) {
    _mm512_mask_storeu_ps(to, there, v);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline void store(c10::BFloat16* to, __mmask16 there,
                                                         __m512 v) {
    _mm256_mask_storeu_epi16(to, there, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)));
}

/// Sixteen neighbours as the words of one row of a matrix: 16 words in fp32, 8 in bf16.
[[CIVITAS_AVX512, gnu::always_inline]] inline void store_row(Word* to, __m512 v, float /*type*/) {
    _mm512_storeu_ps(to, v);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline void store_row(Word* to, __m512 v,
                                                             c10::BFloat16 /*type*/) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)));
}

/// The words of `count` neighbouring numbers, or of the first that fill a vector, and zeros behind.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i load_words(const float* from,
                                                                 std::int64_t count) {
    return _mm512_maskz_loadu_epi32(lanes_from(0, count), from);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i load_words(const c10::BFloat16* from,
                                                                 std::int64_t count) {
    const auto low = static_cast<__mmask32>(lanes_from(0, count));
    const auto high = static_cast<__mmask32>(lanes_from(lanes, count));
    return _mm512_maskz_loadu_epi16(high << lanes | low, from);
}

/// The upper half of each word.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i upper_halves(__m512i words) {
    return _mm512_and_si512(words, _mm512_set1_epi32(-65536));
}

/// Number j of each of sixteen words.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 number_of(__m512i words, std::int64_t /*j*/,
                                                               float /*type*/) {
    return _mm512_castsi512_ps(words);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 number_of(__m512i words, std::int64_t j,
                                                               c10::BFloat16 /*type*/) {
    return _mm512_castsi512_ps(j == 0 ? _mm512_slli_epi32(words, 16) : upper_halves(words));
}

/// Sixteen words, of which number j is in numbers[j].
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_of_numbers(const __m512 (&numbers)[1]) {
    return _mm512_castps_si512(numbers[0]);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_of_numbers(const __m512 (&numbers)[2]) {
    const __m512i order =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,  //
                         23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512bh both = _mm512_cvtne2ps_pbh(numbers[1], numbers[0]);
    return _mm512_permutexvar_epi16(order, reinterpret_cast<__m512i>(both));
}

/// sum + a b, lane by lane; of bf16 a lane has two products.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 add_product(__m512 sum, __m512i a, __m512i b,
                                                                 float /*type*/) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), sum);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512 add_product(__m512 sum, __m512i a, __m512i b,
                                                                 c10::BFloat16 /*type*/) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
}

/// Rows of a matrix of 16 x 16 words become its columns.
[[CIVITAS_AVX512, gnu::always_inline]] inline void transpose(__m512i (&m)[16]) {
    __m512i t[16];
    for (int i = 0; i < 16; i += 4) {  // 4 x 4 blocks of words in each 128 bits
        const __m512i a = _mm512_unpacklo_epi32(m[i], m[i + 1]);
        const __m512i b = _mm512_unpackhi_epi32(m[i], m[i + 1]);
        const __m512i c = _mm512_unpacklo_epi32(m[i + 2], m[i + 3]);
        const __m512i d = _mm512_unpackhi_epi32(m[i + 2], m[i + 3]);
        t[i] = _mm512_unpacklo_epi64(a, c);
        t[i + 1] = _mm512_unpackhi_epi64(a, c);
        t[i + 2] = _mm512_unpacklo_epi64(b, d);
        t[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    for (int i = 0; i < 4; ++i) {  // then a matrix of 4 x 4 such blocks
        const __m512i a = _mm512_shuffle_i32x4(t[i], t[i + 4], 0x88);
        const __m512i b = _mm512_shuffle_i32x4(t[i], t[i + 4], 0xdd);
        const __m512i c = _mm512_shuffle_i32x4(t[i + 8], t[i + 12], 0x88);
        const __m512i d = _mm512_shuffle_i32x4(t[i + 8], t[i + 12], 0xdd);
        m[i] = _mm512_shuffle_i32x4(a, c, 0x88);
        m[i + 4] = _mm512_shuffle_i32x4(b, d, 0x88);
        m[i + 8] = _mm512_shuffle_i32x4(a, c, 0xdd);
        m[i + 12] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

}  // namespace civitas::simd
