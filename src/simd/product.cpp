#include "civitas/simd/product.hpp"

#ifdef CIVITAS_AVX2
#include "product_avx2.hpp"
#else
#include "product_avx512.hpp"
#include "product_tiles.hpp"
#endif

#include "civitas/simd/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace civitas::simd {
inline namespace CIVITAS_SET {
namespace {

using Multiply = void (*)(Rows, const Word*, std::int64_t, float*, Sum);

template <class T, int... rows>
constexpr std::array<Multiply, sizeof...(rows)> for_each_count(
    std::integer_sequence<int, rows...> /*counts*/) {
    return {multiply_rows<T, rows + 1>...};
}

}  // namespace

template <class T>
void multiply(std::int64_t rows, Rows a, const Word* b, std::int64_t words, float* c, Sum sum) {
#ifndef CIVITAS_AVX2
    if constexpr (std::is_same_v<T, c10::BFloat16>)
        if (a.word == 1 && has_amx()) return multiply_tiles({rows, words}, a, b, c, sum);
#endif
    static constexpr auto kernels =
        for_each_count<T>(std::make_integer_sequence<int, static_cast<int>(most_rows<T>)>());
    // As many rows at a time in each part, or one more: few at once would wait for each other.
    for (std::int64_t parts = divide_up(rows, most_rows<T>); parts > 0; --parts) {
        const std::int64_t some = divide_up(rows, parts);
        kernels[static_cast<std::size_t>(some - 1)](a, b, words, c, sum);
        a.data += some * a.row;
        c += some * panel;
        rows -= some;
    }
}

template void multiply<float>(std::int64_t, Rows, const Word*, std::int64_t, float*, Sum);
template void multiply<c10::BFloat16>(std::int64_t, Rows, const Word*, std::int64_t, float*, Sum);

}  // namespace CIVITAS_SET

template <class T>
Product product_of(CompiledFor /*set*/) {
    return multiply<T>;
}

template Product product_of<float>(CompiledFor);
template Product product_of<c10::BFloat16>(CompiledFor);

}  // namespace civitas::simd
