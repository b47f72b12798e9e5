#include "civitas/simd/product.hpp"

#include "product_tiles.hpp"

#include "civitas/simd/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace civitas::simd {
namespace {

/// Rows whose sums fit into the registers: 14 times two of the 32, and room for what is multiplied.
constexpr std::int64_t most_rows = 14;

template <class T, int rows>
[[CIVITAS_AVX512]] void multiply_rows(Rows a, const Word* b, std::int64_t words, float* c,
                                      Sum sum) {
    __m512 left[rows];
    __m512 right[rows];
    if (sum == Sum::begins) {
#pragma GCC unroll 14
        for (int i = 0; i < rows; ++i) left[i] = right[i] = _mm512_setzero_ps();
    } else {
#pragma GCC unroll 14
        for (int i = 0; i < rows; ++i) {
            left[i] = _mm512_loadu_ps(c + i * panel);
            right[i] = _mm512_loadu_ps(c + i * panel + lanes);
        }
    }
    for (std::int64_t k = 0; k < words; ++k) {
        const __m512i b_left = _mm512_loadu_si512(b + k * panel);
        const __m512i b_right = _mm512_loadu_si512(b + k * panel + lanes);
        const Word* column = a.data + k * a.word;
#pragma GCC unroll 14
        for (int i = 0; i < rows; ++i) {
            int word;  // which may be numbers of another type in memory
            std::memcpy(&word, column + i * a.row, sizeof word);
            const __m512i one = _mm512_set1_epi32(word);
            left[i] = add_product(left[i], one, b_left, T());
            right[i] = add_product(right[i], one, b_right, T());
        }
    }
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
        _mm512_storeu_ps(c + i * panel, left[i]);
        _mm512_storeu_ps(c + i * panel + lanes, right[i]);
    }
}

using Multiply = void (*)(Rows, const Word*, std::int64_t, float*, Sum);

template <class T, int... rows>
constexpr std::array<Multiply, sizeof...(rows)> for_each_count(
    std::integer_sequence<int, rows...> /*counts*/) {
    return {multiply_rows<T, rows + 1>...};
}

}  // namespace

template <class T>
void multiply(std::int64_t rows, Rows a, const Word* b, std::int64_t words, float* c, Sum sum) {
    if constexpr (std::is_same_v<T, c10::BFloat16>)
        if (a.word == 1 && has_amx()) return multiply_tiles({rows, words}, a, b, c, sum);
    static constexpr auto kernels =
        for_each_count<T>(std::make_integer_sequence<int, static_cast<int>(most_rows)>());
    // As many rows at a time in each part, or one more: few at once would wait for each other.
    for (std::int64_t parts = divide_up(rows, most_rows); parts > 0; --parts) {
        const std::int64_t some = divide_up(rows, parts);
        kernels[static_cast<std::size_t>(some - 1)](a, b, words, c, sum);
        a.data += some * a.row;
        c += some * panel;
        rows -= some;
    }
}

template void multiply<float>(std::int64_t, Rows, const Word*, std::int64_t, float*, Sum);
template void multiply<c10::BFloat16>(std::int64_t, Rows, const Word*, std::int64_t, float*, Sum);

}  // namespace civitas::simd
