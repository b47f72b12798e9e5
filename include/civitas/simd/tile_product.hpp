#pragma once
/// Products of tiles whose words lie apart, in bf16 by AMX.
#include "civitas/simd/product.hpp"

#include <span>

namespace civitas::simd {

constexpr std::int64_t rows_of_tile = 16;

/// Tiles of `rows_of_tile` rows: the first word of each tile, and words from row to row.
struct RowTiles {
    std::span<const Word* const> first;
    std::int64_t row;
};

/// Where words of a row lie that are multiplied: so many from each tap on, in words from the first.
struct Taps {
    std::span<const std::int64_t> offsets;
    std::int64_t words;  ///< a multiple of sixteen
};

/// c[t][m][n] = sum over taps i and words k of a(t, m, offset of i + k) b[i words + k][n] for every
/// tile t, m < rows_of_tile and n < panel, or is added to: as `multiply` has it for bf16, tap after
/// tap. Only where multiplies_tiles<BFloat16>().
void multiply_taps(RowTiles a, Taps taps, const Word* b, float* c, Sum sum);

}  // namespace civitas::simd
