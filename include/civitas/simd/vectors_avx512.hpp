#pragma once
/// Vectors by AVX-512: civitas/simd/vectors.hpp chooses them.
#include "civitas/simd/number_type.hpp"
#include "civitas/simd/words.hpp"

#include <immintrin.h>

/// An attribute of every function that uses the vectors: the build itself asks for no instructions.
#define CIVITAS_VECTORS gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")
/// The namespace of what is compiled for them.
#define CIVITAS_SET avx512

namespace civitas::simd {
inline namespace avx512 {

/// The set that a file is compiled for.
using CompiledFor = Avx512;

/// Sixteen numbers in fp32, and sixteen words.
using Floats = __m512;
using Words = __m512i;

/// Sixteen neighbours.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats load(const float* from) {
    return _mm512_loadu_ps(from);
}

/// Lanes that are not there are 0.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats load(const float* from, Mask there) {
    return _mm512_maskz_loadu_ps(there, from);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats load(const c10::BFloat16* from, Mask there) {
    const Words wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

[[CIVITAS_VECTORS, gnu::always_inline]] inline void store(float* to, Mask there, Floats v) {
    _mm512_mask_storeu_ps(to, there, v);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store(c10::BFloat16* to, Mask there, Floats v) {
    _mm256_mask_storeu_epi16(to, there, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)));
}

/// Sixteen words.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_words(Word* to, Words words) {
    _mm512_storeu_si512(to, words);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_words(Word* to, Mask there, Words words) {
    _mm512_mask_storeu_epi32(to, there, words);
}

/// Writes past the caches; `to` begins a vector of memory.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void stream(float* to, Floats v) {
    _mm512_stream_ps(to, v);
}

/// Moves numbers of one type from memory to memory; those that are not `inside` become 0.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void copy(const float* from, Mask inside, float* to,
                                                         Mask there) {
    store(to, there, load(from, inside));
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void copy(const c10::BFloat16* from, Mask inside,
                                                         c10::BFloat16* to, Mask there) {
    _mm256_mask_storeu_epi16(to, there, _mm256_maskz_loadu_epi16(inside, from));
}

[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats plus(Floats a, Floats b) {
    return _mm512_add_ps(a, b);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats minus(Floats a, Floats b) {
    return _mm512_sub_ps(a, b);
}
/// a factor + b.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats scaled(Floats a, float factor, Floats b) {
    return _mm512_fmadd_ps(a, _mm512_set1_ps(factor), b);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats scaled(Floats a, float factor) {
    return _mm512_mul_ps(a, _mm512_set1_ps(factor));
}

/// The lanes from `first` on, moved to the begin; 0 behind them.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats lanes_behind(Floats v, std::int64_t first) {
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<int>(first)));
    return _mm512_maskz_permutexvar_ps(lanes_from(first, lanes), from, v);
}

/// Words of bf16 whose first numbers are those of `low`, and second ones the first of `high`.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words paired(Words low, Words high) {
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/// Sixteen neighbours as the words of one row of a matrix: 16 words in fp32, 8 in bf16.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_row(Word* to, Floats v, float /*type*/) {
    _mm512_storeu_ps(to, v);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_row(Word* to, Floats v,
                                                              c10::BFloat16 /*type*/) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)));
}

/// The words of `count` neighbouring numbers, or of the first that fill a vector, and zeros behind.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words load_words(const float* from,
                                                                std::int64_t count) {
    return _mm512_maskz_loadu_epi32(lanes_from(0, count), from);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words load_words(const c10::BFloat16* from,
                                                                std::int64_t count) {
    const auto low = static_cast<__mmask32>(lanes_from(0, count));
    const auto high = static_cast<__mmask32>(lanes_from(lanes, count));
    return _mm512_maskz_loadu_epi16(high << lanes | low, from);
}

/// The upper half of each word.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words upper_halves(Words words) {
    return _mm512_and_si512(words, _mm512_set1_epi32(-65536));
}

/// Number j of each of sixteen words.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats number_of(Words words, std::int64_t /*j*/,
                                                                float /*type*/) {
    return _mm512_castsi512_ps(words);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats number_of(Words words, std::int64_t j,
                                                                c10::BFloat16 /*type*/) {
    return _mm512_castsi512_ps(j == 0 ? _mm512_slli_epi32(words, 16) : upper_halves(words));
}

/// Sixteen words, of which number j is in numbers[j].
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_of_numbers(const Floats (&numbers)[1]) {
    return _mm512_castps_si512(numbers[0]);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_of_numbers(const Floats (&numbers)[2]) {
    const __m512i order =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,  //
                         23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512bh both = _mm512_cvtne2ps_pbh(numbers[1], numbers[0]);
    return _mm512_permutexvar_epi16(order, reinterpret_cast<Words>(both));
}

/// Words k of a matrix: rows k (fp32), or 2k and 2k + 1 (bf16), where the second may be missing.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_at(const float* row,
                                                              const float* /*next*/, Mask there) {
    return _mm512_castps_si512(load(row, there));
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_at(const c10::BFloat16* row,
                                                              const c10::BFloat16* next,
                                                              Mask there) {
    const Words low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, row));
    if (next == nullptr) return low;
    return paired(low, _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, next)));
}

/// Rows of a matrix of 16 x 16 words become its columns.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void transpose(Words (&m)[16]) {
    Words t[16];
    for (int i = 0; i < 16; i += 4) {  // 4 x 4 blocks of words in each 128 bits
        const Words a = _mm512_unpacklo_epi32(m[i], m[i + 1]);
        const Words b = _mm512_unpackhi_epi32(m[i], m[i + 1]);
        const Words c = _mm512_unpacklo_epi32(m[i + 2], m[i + 3]);
        const Words d = _mm512_unpackhi_epi32(m[i + 2], m[i + 3]);
        t[i] = _mm512_unpacklo_epi64(a, c);
        t[i + 1] = _mm512_unpackhi_epi64(a, c);
        t[i + 2] = _mm512_unpacklo_epi64(b, d);
        t[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    for (int i = 0; i < 4; ++i) {  // then a matrix of 4 x 4 such blocks
        const Words a = _mm512_shuffle_i32x4(t[i], t[i + 4], 0x88);
        const Words b = _mm512_shuffle_i32x4(t[i], t[i + 4], 0xdd);
        const Words c = _mm512_shuffle_i32x4(t[i + 8], t[i + 12], 0x88);
        const Words d = _mm512_shuffle_i32x4(t[i + 8], t[i + 12], 0xdd);
        m[i] = _mm512_shuffle_i32x4(a, c, 0x88);
        m[i + 4] = _mm512_shuffle_i32x4(b, d, 0x88);
        m[i + 8] = _mm512_shuffle_i32x4(a, c, 0xdd);
        m[i + 12] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

}  // namespace avx512
}  // namespace civitas::simd
