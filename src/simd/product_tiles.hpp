#pragma once
/// Products of bf16 by tiles: AMX, Intel 64 and IA-32 Architectures Software Developer's Manual,
/// volume 1, chapter "Programming with Intel Advanced Matrix Extensions".
#include "civitas/simd/product.hpp"

namespace civitas::simd {

/// Rows of `a`, and words of each.
struct ProductSize {
    std::int64_t rows, words;
};

/// multiply<BFloat16> where words of a row of `a` are neighbours.
void multiply_tiles(ProductSize size, Rows a, const Word* b, float* c, Sum sum);

}  // namespace civitas::simd
