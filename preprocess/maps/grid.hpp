#pragma once
/// The grid of tiles over a map: upper left corners at whole multiples of the stride, numbered row
/// by row from the north-west.
#include "civitas/base/numbers.hpp"
#include "shapes.hpp"

namespace civitas::maps {

/// Sides in metres.
struct TileSize {
    double metres = 250;
    double stride = 250;
};

/// Rows and columns of cells [first, first + count).
struct CellBlock {
    Range columns, rows;
};

class Grid {
public:
    /// All tiles that share ground with `ground`. Throws Error when there are absurdly many.
    Grid(TileSize size, const Box& ground);

    [[nodiscard]] std::int64_t cells() const { return block_.columns.count * block_.rows.count; }
    [[nodiscard]] const TileSize& size() const { return size_; }
    [[nodiscard]] const CellBlock& block() const { return block_; }
    [[nodiscard]] Point upper_left(std::int64_t cell) const;
    [[nodiscard]] std::int64_t cell(std::int64_t column, std::int64_t row) const;
    /// The cells of the grid that share ground with a box.
    [[nodiscard]] CellBlock touching(const Box& box) const;

private:
    TileSize size_;
    CellBlock block_;
};

}  // namespace civitas::maps
