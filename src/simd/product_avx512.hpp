#pragma once
/// Some rows of a product, by AVX-512.
#include "civitas/simd/product.hpp"

#include <cstring>

namespace civitas::simd {
inline namespace avx512 {

/// sum + a b, lane by lane; of bf16 a lane has two products.
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m512 add_product(__m512 sum, __m512i a, __m512i b,
                                                                  float /*type*/) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), sum);
}
[[CIVITAS_VECTORS, gnu::always_inline]] inline __m512 add_product(__m512 sum, __m512i a, __m512i b,
                                                                  c10::BFloat16 /*type*/) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
}

/// Rows whose sums fit into the registers: 14 times two of the 32, and room for what is multiplied.
template <class T>
constexpr std::int64_t most_rows = 14;

template <class T, int rows>
[[CIVITAS_VECTORS]] void multiply_rows(Rows a, const Word* b, std::int64_t words, float* c,
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

}  // namespace avx512
}  // namespace civitas::simd
