#pragma once
/// The product of two matrices of words, as small as a cache.
#include "civitas/simd/vectors.hpp"

namespace civitas::simd {

/// Columns of a panel, of which a product computes all at once.
constexpr std::int64_t panel = 32;

/// A matrix whose word (m, k) lies at data[m * row + k * word].
struct Rows {
    const Word* data;
    std::int64_t row, word;
};

/// What a product does with the numbers that are there.
enum class Sum : bool { begins, goes_on };

inline namespace CIVITAS_SET {

/// c[m][n] = sum over k of a(m, k) b[k][n] for m < rows, n < panel, k < words, or is added to; rows
/// of b and c have `panel` words. In bf16 a word stands for two numbers and two products. Each
/// result is summed over ascending k, by tiles sixteen words at a time, whatever the number of rows
/// and however often it goes on after whole sixteens, so its bits depend on its own numbers alone.
/// Tiles multiply bf16 where has_amx() and words of a row of `a` are neighbours. They are the
/// faster, the more rows there are at once, in whole blocks of `rows_of_tiles`.
template <class T>
void multiply(std::int64_t rows, Rows a, const Word* b, std::int64_t words, float* c,
              Sum sum = Sum::begins);

}  // namespace CIVITAS_SET

/// A `multiply`, which has one for each type and set of instructions.
using Product = void (*)(std::int64_t rows, Rows a, const Word* b, std::int64_t words, float* c,
                         Sum sum);
template <class T>
[[nodiscard]] Product product_of(Avx512 set);
template <class T>
[[nodiscard]] Product product_of(Avx2 set);

/// That of this processor.
template <class T>
[[nodiscard]] Product product_here() {
    return with_set<T>([](auto set) { return product_of<T>(set); });
}

constexpr std::int64_t rows_of_tiles = 32;

}  // namespace civitas::simd
