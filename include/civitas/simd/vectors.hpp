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

/// Sixteen words of neighbouring numbers: rows[0] has the first 16 of them, rows[1] those after.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_along(const __m512 (&rows)[1]) {
    return _mm512_castps_si512(rows[0]);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_along(const __m512 (&rows)[2]) {
    return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(rows[1], rows[0]));
}

/// Sixteen words whose numbers lie below each other: lane i of rows[0], then of rows[1].
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_across(const __m512 (&rows)[1]) {
    return _mm512_castps_si512(rows[0]);
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_across(const __m512 (&rows)[2]) {
    const __m512i both = words_along(rows);
    const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(both));
    const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(both, 1));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
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
