#pragma once
/// Matrices of numbers as matrices of words, which products multiply.
#include "civitas/simd/vectors.hpp"

#include <algorithm>

namespace civitas::simd {
inline namespace CIVITAS_SET {

/// A matrix of numbers: `apart` from the begin of a row to that of the next.
template <class T>
struct Numbers {
    const T* first;
    std::int64_t rows, columns, apart;
};

/// The matrix as words, row after row: those of bf16 hold two rows each.
template <class T>
[[CIVITAS_VECTORS]] void pack_rows(Numbers<T> from, Word* to) {
    constexpr std::int64_t step = numbers_per_word<T>;
    const T* row = from.first;
    for (std::int64_t r = 0; r < from.rows; r += step, row += step * from.apart)
        for (std::int64_t i = 0; i < from.columns; i += lanes) {
            const Mask there = lanes_from(i, from.columns);
            const T* next = r + 1 < from.rows ? row + from.apart + i : nullptr;
            store_words(to, there, words_at(row + i, next, there));
            to += std::min(lanes, from.columns - i);
        }
}

/// How far apart rows of a matrix of words lie well: an odd number of vectors, whose multiples do
/// not share few lines of a cache.
constexpr std::int64_t row_stride(std::int64_t words) { return round_up(words, lanes) | lanes; }

/// Writes words of sixteen rows as columns: word i of row c at to[i * apart + c], those of a row's
/// parts `part` words from each other.
template <std::size_t parts>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void store_transposed(
    const Words (&rows)[lanes][parts], Word* to, std::int64_t apart, std::int64_t part) {
    for (std::size_t p = 0; p < parts; ++p, to += part) {
        Words words[lanes];
        for (std::int64_t i = 0; i < lanes; ++i) words[i] = rows[i][p];
        transpose(words);
        for (std::int64_t i = 0; i < lanes; ++i) store_words(to + i * apart, words[i]);
    }
}

/// A column of sixteen words of a matrix of words, `apart` from row to row: word i of row c is made
/// of numbers[i][.][c], for channels c from `begin` to `end`. Rows from there to the next
/// multiple of sixteen are overwritten by zeros.
template <class T>
[[CIVITAS_VECTORS]] void pack_column(const T* (&numbers)[lanes][numbers_per_word<T>],
                                     std::int64_t begin, std::int64_t end, Word* to,
                                     std::int64_t apart) {
    for (std::int64_t c = begin; c < end; c += lanes) {
        Words rows[lanes][1];
        for (std::int64_t i = 0; i < lanes; ++i)
            rows[i][0] = words_at(numbers[i][0] + c, numbers[i][numbers_per_word<T> - 1] + c,
                                  lanes_from(c, end));
        store_transposed(rows, to + c * apart, apart, 0);
    }
}

}  // namespace CIVITAS_SET
}  // namespace civitas::simd
