#pragma once
/// Products of tiles whose words lie apart, by AMX: of bf16, or of fp32 in parts of bf16.
#include "civitas/simd/product.hpp"

#include <span>

namespace civitas::simd {

constexpr std::int64_t rows_of_tile = 16;

/// Tiles of `rows_of_tile` rows: the first word of each tile, and words from row to row and from
/// part to part of their numbers.
struct RowTiles {
    std::span<const Word* const> first;
    std::int64_t row, part;
};

/// A matrix of `panel` columns, and words from row to row and from part to part of its numbers.
struct PanelRows {
    const Word* first;
    std::int64_t row, part;
};

/// Where sixteen words of rows of the left factor begin, and sixteen rows of the right one that
/// they are multiplied by.
struct TileStep {
    std::int64_t a, b;
};

/// c[t][m][n] = sum over steps and k < 16 of a(t, m, step.a + k) b(step.b, k, n) for every tile t,
/// m < rows_of_tile and n < panel, or is added to: as `multiply` has it for bf16, step after step.
/// Of the nine products of parts of fp32 six are added up; the others are less than 2^-22 of the
/// product, 2^-25.5 in the root mean square, while a sum in fp32 is rounded by up to 2^-24. Parts
/// that are less than 2^-126 count as 0. Only where has_amx().
template <class T>
void multiply_steps(RowTiles a, PanelRows b, std::span<const TileStep> steps, float* c, Sum sum);

}  // namespace civitas::simd
