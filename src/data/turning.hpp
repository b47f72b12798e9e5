#pragma once
/// Cells of a square image as a symmetry orders them.
#include "civitas/base/symmetry.hpp"

#include <cstdint>
#include <vector>

namespace civitas::data {

/// The cells of an image of side n, turned. Reads with strides cost less than writes, and of
/// integers less than of floats.
template <class Cell>
[[nodiscard]] std::vector<Cell> turned(std::vector<Cell> cells, std::int64_t n, Symmetry symmetry) {
    if (symmetry == Symmetry::identity || n == 1) return cells;
    const std::int64_t start = cell_at(0, 0, n, symmetry);
    const std::int64_t down = cell_at(1, 0, n, symmetry) - start;
    const std::int64_t right = cell_at(0, 1, n, symmetry) - start;
    std::vector<Cell> result(cells.size());
    Cell* to = result.data();
    for (std::int64_t y = 0; y < n; ++y) {
        const Cell* from = cells.data() + start + y * down;
        for (std::int64_t x = 0; x < n; ++x, from += right) *to++ = *from;
    }
    return result;
}

}  // namespace civitas::data
