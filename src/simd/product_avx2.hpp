#pragma once
/// Some rows of a product, by AVX2 and FMA: half a panel at a time, since there are sixteen
/// registers.
#include "civitas/simd/product.hpp"

#include <cstring>
#include <type_traits>

namespace civitas::simd {
inline namespace avx2 {

/// Rows whose sums fit into the registers: two of the sixteen each, and room for what is
/// multiplied, of which bf16 has two for each word.
template <class T>
constexpr std::int64_t most_rows = std::is_same_v<T, float> ? 6 : 5;

/// Numbers of words, as vectors: number j of those of a vector of words is in numbers[j].
template <class T>
struct NumbersOfWords {
    __m256 numbers[numbers_per_word<T>];
};
[[CIVITAS_VECTORS, gnu::always_inline]] inline NumbersOfWords<float> numbers_of(__m256i words,
                                                                                float /*type*/) {
    return {_mm256_castsi256_ps(words)};
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline NumbersOfWords<c10::BFloat16> numbers_of(
    __m256i words, c10::BFloat16 /*type*/) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(words, 16)),
            _mm256_castsi256_ps(upper_halves(words))};
}

/// Asks, at word k, for what is multiplied soon: words of the right factor, and those of the rows
/// behind these where they are neighbours. Rows are too short for a processor to see it coming.
template <int rows>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void prefetch(Rows a, const Word* b,
                                                             std::int64_t k) {
    constexpr std::int64_t ahead = 24;
    _mm_prefetch(b + (k + ahead) * panel, _MM_HINT_T1);
    _mm_prefetch(b + (k + ahead) * panel + lanes, _MM_HINT_T1);
    if (a.word != 1 || k % lanes != 0) return;
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) _mm_prefetch(a.data + (rows + i) * a.row + k, _MM_HINT_T0);
}

enum class Half { first, second };

/// Columns of half a panel.
template <class T, int rows, Half half>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void multiply_half(Rows a, const Word* b,
                                                                  std::int64_t words, float* c,
                                                                  Sum sum) {
    constexpr std::int64_t eight = lanes / 2;
    __m256 left[rows], right[rows];
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        left[i] = sum == Sum::begins ? _mm256_setzero_ps() : _mm256_loadu_ps(c + i * panel);
        right[i] =
            sum == Sum::begins ? _mm256_setzero_ps() : _mm256_loadu_ps(c + i * panel + eight);
    }
    for (std::int64_t k = 0; k < words; ++k) {
        const auto* const from = reinterpret_cast<const __m256i*>(b + k * panel);
        const auto b_left = numbers_of(_mm256_loadu_si256(from), T());
        const auto b_right = numbers_of(_mm256_loadu_si256(from + 1), T());
        if (half == Half::first) prefetch<rows>(a, b, k);
        const Word* column = a.data + k * a.word;
#pragma GCC unroll 6
        for (int i = 0; i < rows; ++i) {
            int word;  // which may be numbers of another type in memory
            std::memcpy(&word, column + i * a.row, sizeof word);
            const auto one = numbers_of(_mm256_set1_epi32(word), T());
#pragma GCC unroll 2
            for (std::int64_t j = 0; j < numbers_per_word<T>; ++j) {
                left[i] = _mm256_fmadd_ps(one.numbers[j], b_left.numbers[j], left[i]);
                right[i] = _mm256_fmadd_ps(one.numbers[j], b_right.numbers[j], right[i]);
            }
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        _mm256_storeu_ps(c + i * panel, left[i]);
        _mm256_storeu_ps(c + i * panel + eight, right[i]);
    }
}

template <class T, int rows>
[[CIVITAS_VECTORS]] void multiply_rows(Rows a, const Word* b, std::int64_t words, float* c,
                                       Sum sum) {
    multiply_half<T, rows, Half::first>(a, b, words, c, sum);
    multiply_half<T, rows, Half::second>(a, b + lanes, words, c + lanes, sum);
}

}  // namespace avx2
}  // namespace civitas::simd
