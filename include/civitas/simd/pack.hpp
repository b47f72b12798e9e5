#pragma once
/// Matrices of numbers as matrices of words, which products multiply.
#include "civitas/simd/vectors.hpp"

#include <algorithm>

namespace civitas::simd {

/// Words k of a matrix: rows k (fp32), or 2k and 2k + 1 (bf16), where the second may be missing.
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_at(const float* row,
                                                               const float* /*next*/,
                                                               __mmask16 there) {
    return _mm512_castps_si512(load(row, there));
}
[[CIVITAS_AVX512, gnu::always_inline]] inline __m512i words_at(const c10::BFloat16* row,
                                                               const c10::BFloat16* next,
                                                               __mmask16 there) {
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, row));
    if (next == nullptr) return low;
    const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, next));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/// A matrix of numbers: `apart` from the begin of a row to that of the next.
template <class T>
struct Numbers {
    const T* first;
    std::int64_t rows, columns, apart;
};

/// The matrix as words, row after row: those of bf16 hold two rows each.
template <class T>
[[CIVITAS_AVX512]] void pack_rows(Numbers<T> from, Word* to) {
    constexpr std::int64_t step = numbers_per_word<T>;
    const T* row = from.first;
    for (std::int64_t r = 0; r < from.rows; r += step, row += step * from.apart)
        for (std::int64_t i = 0; i < from.columns; i += lanes) {
            const __mmask16 there = lanes_from(i, from.columns);
            const T* next = r + 1 < from.rows ? row + from.apart + i : nullptr;
            _mm512_mask_storeu_epi32(to, there, words_at(row + i, next, there));
            to += std::min(lanes, from.columns - i);
        }
}

/// How far apart rows of a matrix of words lie well: an odd number of vectors, whose multiples do
/// not share few lines of a cache.
constexpr std::int64_t row_stride(std::int64_t words) { return round_up(words, lanes) | lanes; }

/// Writes words of sixteen rows as columns: word i of row c at to[i * apart + c], those of a row's
/// parts `part` words from each other.
template <std::size_t parts>
[[CIVITAS_AVX512, gnu::always_inline]] inline void store_transposed(
    const __m512i (&rows)[lanes][parts], Word* to, std::int64_t apart, std::int64_t part) {
    for (std::size_t p = 0; p < parts; ++p, to += part) {
        __m512i words[lanes];
        for (std::int64_t i = 0; i < lanes; ++i) words[i] = rows[i][p];
        transpose(words);
        for (std::int64_t i = 0; i < lanes; ++i) _mm512_storeu_si512(to + i * apart, words[i]);
    }
}

/// A column of sixteen words of a matrix of words, `apart` from row to row: word i of row c is made
/// of numbers[i][.][c], for channels c from `begin` to `end`. Rows from there to the next
/// multiple of sixteen are overwritten by zeros.
template <class T>
[[CIVITAS_AVX512]] void pack_column(const T* (&numbers)[lanes][numbers_per_word<T>],
                                    std::int64_t begin, std::int64_t end, Word* to,
                                    std::int64_t apart) {
    for (std::int64_t c = begin; c < end; c += lanes) {
        __m512i rows[lanes][1];
        for (std::int64_t i = 0; i < lanes; ++i)
            rows[i][0] = words_at(numbers[i][0] + c, numbers[i][numbers_per_word<T> - 1] + c,
                                  lanes_from(c, end));
        store_transposed(rows, to + c * apart, apart, 0);
    }
}

}  // namespace civitas::simd
