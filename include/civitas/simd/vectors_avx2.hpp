#pragma once
/// Vectors by AVX2 and FMA, two registers each: civitas/simd/vectors.hpp chooses them. Masks other
/// than of all lanes are for the ends of rows: they take some instructions more.
#include "civitas/simd/number_type.hpp"
#include "civitas/simd/words.hpp"

#include <immintrin.h>

/// An attribute of every function that uses the vectors: the build itself asks for no instructions.
#define CIVITAS_VECTORS gnu::target("avx2,fma")
/// The namespace of what is compiled for them.
#define CIVITAS_SET avx2

namespace civitas::simd {
inline namespace avx2 {

/// The set that a file is compiled for.
using CompiledFor = Avx2;

/// Sixteen numbers in fp32, and sixteen words.
struct Floats {
    __m256 low, high;
};
struct Words {
    __m256i low, high;
};

/// Eight lanes of a mask, as intrinsics take them.
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m256i eight_of(Mask lanes_there, int first) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(lanes_there >> first);
    return _mm256_cmpeq_epi32(_mm256_and_si256(all, bits), bits);
}

/// Sixteen numbers of bf16.
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m256i load_halves(const c10::BFloat16* from,
                                                                   Mask there) {
    if (there == every_lane) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    alignas(32) std::uint16_t halves[lanes] = {};
    for (std::int64_t i = 0; i < lanes; ++i)
        if ((there >> i & 1) != 0) halves[i] = from[i].x;
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(halves));
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_halves(c10::BFloat16* to, Mask there,
                                                                 __m256i v) {
    if (there == every_lane) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
    alignas(32) std::uint16_t halves[lanes];
    _mm256_store_si256(reinterpret_cast<__m256i*>(halves), v);
    for (std::int64_t i = 0; i < lanes; ++i)
        if ((there >> i & 1) != 0) to[i].x = halves[i];
}

/// Numbers of bf16 as words whose upper halves are 0.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words widened(__m256i halves) {
    return {_mm256_cvtepu16_epi32(_mm256_castsi256_si128(halves)),
            _mm256_cvtepu16_epi32(_mm256_extracti128_si256(halves, 1))};
}

/// Numbers rounded to bf16, to the nearest and of two to the even one, in the upper halves of
/// words; the lower ones hold what is left over. NaNs stay NaNs.
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m256i rounded(__m256 v) {
    const __m256i word = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(word, 16), _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    const __m256i quiet = _mm256_or_si256(word, _mm256_set1_epi32(0x400000));
    return _mm256_blendv_epi8(_mm256_add_epi32(word, half), quiet, nan);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m256i upper_halves(__m256i words) {
    return _mm256_and_si256(words, _mm256_set1_epi32(-65536));
}

/// Numbers as sixteen of bf16.
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m256i halves_of(Floats v) {
    const __m256i low = _mm256_srli_epi32(rounded(v.low), 16);
    const __m256i high = _mm256_srli_epi32(rounded(v.high), 16);
    constexpr int in_order = 0xd8;  // of what is packed in each 128 bits
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), in_order);
}

/// Sixteen neighbours.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats load(const float* from) {
    return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}

/// Lanes that are not there are 0.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats load(const float* from, Mask there) {
    if (there == every_lane) return load(from);
    return {_mm256_maskload_ps(from, eight_of(there, 0)),
            _mm256_maskload_ps(from + 8, eight_of(there, 8))};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats load(const c10::BFloat16* from, Mask there) {
    const auto [low, high] = widened(load_halves(from, there));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(low, 16)),
            _mm256_castsi256_ps(_mm256_slli_epi32(high, 16))};
}

[[CIVITAS_VECTORS, gnu::always_inline]] inline void store(float* to, Floats v) {
    _mm256_storeu_ps(to, v.low);
    _mm256_storeu_ps(to + 8, v.high);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store(float* to, Mask there, Floats v) {
    if (there == every_lane) return store(to, v);
    _mm256_maskstore_ps(to, eight_of(there, 0), v.low);
    _mm256_maskstore_ps(to + 8, eight_of(there, 8), v.high);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store(c10::BFloat16* to, Mask there, Floats v) {
    store_halves(to, there, halves_of(v));
}

/// Sixteen words.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_words(Word* to, Words words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), words.high);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_words(Word* to, Mask there, Words words) {
    if (there == every_lane) return store_words(to, words);
    auto* const ints = reinterpret_cast<int*>(to);
    _mm256_maskstore_epi32(ints, eight_of(there, 0), words.low);
    _mm256_maskstore_epi32(ints + 8, eight_of(there, 8), words.high);
}

/// Writes past the caches; `to` begins a vector of memory.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void stream(float* to, Floats v) {
    _mm256_stream_ps(to, v.low);
    _mm256_stream_ps(to + 8, v.high);
}

/// Moves numbers of one type from memory to memory; those that are not `inside` become 0.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void copy(const float* from, Mask inside, float* to,
                                                         Mask there) {
    store(to, there, load(from, inside));
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void copy(const c10::BFloat16* from, Mask inside,
                                                         c10::BFloat16* to, Mask there) {
    store_halves(to, there, load_halves(from, inside));
}

[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats plus(Floats a, Floats b) {
    return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats minus(Floats a, Floats b) {
    return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}
/// a factor + b.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats scaled(Floats a, float factor, Floats b) {
    const __m256 all = _mm256_set1_ps(factor);
    return {_mm256_fmadd_ps(a.low, all, b.low), _mm256_fmadd_ps(a.high, all, b.high)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats scaled(Floats a, float factor) {
    const __m256 all = _mm256_set1_ps(factor);
    return {_mm256_mul_ps(a.low, all), _mm256_mul_ps(a.high, all)};
}

/// The lanes from `first` on, moved to the begin; 0 behind them.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats lanes_behind(Floats v, std::int64_t first) {
    alignas(32) float numbers[2 * lanes] = {};
    store(numbers, v);
    return load(numbers + first);
}

/// Words of bf16 whose first numbers are those of `low`, and second ones the first of `high`.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words paired(Words low, Words high) {
    return {_mm256_or_si256(low.low, _mm256_slli_epi32(high.low, 16)),
            _mm256_or_si256(low.high, _mm256_slli_epi32(high.high, 16))};
}

/// Sixteen neighbours as the words of one row of a matrix: 16 words in fp32, 8 in bf16.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_row(Word* to, Floats v, float /*type*/) {
    store_words(to, {_mm256_castps_si256(v.low), _mm256_castps_si256(v.high)});
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_row(Word* to, Floats v,
                                                              c10::BFloat16 /*type*/) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves_of(v));
}

/// The words of `count` neighbouring numbers, or of the first that fill a vector, and zeros behind.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words load_words(const float* from,
                                                                std::int64_t count) {
    const auto [low, high] = load(from, lanes_from(0, count));
    return {_mm256_castps_si256(low), _mm256_castps_si256(high)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words load_words(const c10::BFloat16* from,
                                                                std::int64_t count) {
    const Mask behind = lanes_from(lanes, count);
    return {load_halves(from, lanes_from(0, count)),
            behind == 0 ? _mm256_setzero_si256() : load_halves(from + lanes, behind)};
}

/// Number j of each of sixteen words.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats number_of(Words words, std::int64_t /*j*/,
                                                                float /*type*/) {
    return {_mm256_castsi256_ps(words.low), _mm256_castsi256_ps(words.high)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Floats number_of(Words words, std::int64_t j,
                                                                c10::BFloat16 /*type*/) {
    if (j == 0)
        return {_mm256_castsi256_ps(_mm256_slli_epi32(words.low, 16)),
                _mm256_castsi256_ps(_mm256_slli_epi32(words.high, 16))};
    return {_mm256_castsi256_ps(upper_halves(words.low)),
            _mm256_castsi256_ps(upper_halves(words.high))};
}

/// Sixteen words, of which number j is in numbers[j].
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_of_numbers(const Floats (&numbers)[1]) {
    return {_mm256_castps_si256(numbers[0].low), _mm256_castps_si256(numbers[0].high)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m256i pairs_of(__m256 first, __m256 second) {
    return _mm256_or_si256(_mm256_srli_epi32(rounded(first), 16), upper_halves(rounded(second)));
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_of_numbers(const Floats (&numbers)[2]) {
    const auto& [first, second] = numbers;
    return {pairs_of(first.low, second.low), pairs_of(first.high, second.high)};
}

/// Words k of a matrix: rows k (fp32), or 2k and 2k + 1 (bf16), where the second may be missing.
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_at(const float* row,
                                                              const float* /*next*/, Mask there) {
    const auto [low, high] = load(row, there);
    return {_mm256_castps_si256(low), _mm256_castps_si256(high)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline Words words_at(const c10::BFloat16* row,
                                                              const c10::BFloat16* next,
                                                              Mask there) {
    const Words low = widened(load_halves(row, there));
    return next == nullptr ? low : paired(low, widened(load_halves(next, there)));
}

/// Rows of a matrix of 8 x 8 words become its columns.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void transpose(__m256i (&m)[8]) {
    __m256i t[8];
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {  // 4 x 4 blocks of words in each 128 bits
        const __m256i a = _mm256_unpacklo_epi32(m[i], m[i + 1]);
        const __m256i b = _mm256_unpackhi_epi32(m[i], m[i + 1]);
        const __m256i c = _mm256_unpacklo_epi32(m[i + 2], m[i + 3]);
        const __m256i d = _mm256_unpackhi_epi32(m[i + 2], m[i + 3]);
        t[i] = _mm256_unpacklo_epi64(a, c);
        t[i + 1] = _mm256_unpackhi_epi64(a, c);
        t[i + 2] = _mm256_unpacklo_epi64(b, d);
        t[i + 3] = _mm256_unpackhi_epi64(b, d);
    }
    constexpr int lower_halves = 0x20, higher_halves = 0x31;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        m[i] = _mm256_permute2x128_si256(t[i], t[i + 4], lower_halves);
        m[i + 4] = _mm256_permute2x128_si256(t[i], t[i + 4], higher_halves);
    }
}

/// Rows of a matrix of 16 x 16 words become its columns.
[[CIVITAS_VECTORS, gnu::always_inline]] inline void transpose(Words (&m)[16]) {
    __m256i blocks[2][2][8];  // by halves of rows and of columns
    for (int i = 0; i < 16; ++i) {
        blocks[i / 8][0][i % 8] = m[i].low;
        blocks[i / 8][1][i % 8] = m[i].high;
    }
    for (auto& row : blocks)
        for (auto& block : row) transpose(block);
    for (int i = 0; i < 16; ++i) m[i] = {blocks[0][i / 8][i % 8], blocks[1][i / 8][i % 8]};
}

}  // namespace avx2
}  // namespace civitas::simd
