#include "grid.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::maps {
namespace {

constexpr double most_cells = 1e8;
constexpr double tolerance = 1e-9;

/// Places k with [k * stride, k * stride + metres] sharing more than a border with [low, high].
Range places(TileSize size, double low, double high) {
    const double first = std::floor((low - size.metres) / size.stride + tolerance) + 1;
    const double last = std::ceil(high / size.stride - tolerance) - 1;
    if (!(std::abs(first) < 1e15 && std::abs(last) < 1e15)) return {0, 0};
    return {static_cast<std::int64_t>(first),
            std::max<std::int64_t>(0, static_cast<std::int64_t>(last - first) + 1)};
}

Range common(Range a, Range b) {
    const auto begin = std::max(a.begin, b.begin);
    return {begin, std::max<std::int64_t>(0, std::min(a.end(), b.end()) - begin)};
}

}  // namespace

// Rows count southwards, so they are places along the negative northing.
Grid::Grid(TileSize size, const Box& ground)
    : size_(size),
      block_{places(size, ground.min_x, ground.max_x), places(size, -ground.max_y, -ground.min_y)} {
    const double count =
        static_cast<double>(block_.columns.count) * static_cast<double>(block_.rows.count);
    if (count > most_cells)
        throw Error(text("the map spans ", (ground.max_x - ground.min_x) / 1000, " km x ",
                         (ground.max_y - ground.min_y) / 1000, " km: ", count, " tiles, more than ",
                         most_cells),
                    Hint{"look for features with stray coordinates, or take a larger stride"});
}

Point Grid::upper_left(std::int64_t cell) const {
    const auto column = block_.columns.begin + cell % block_.columns.count;
    const auto row = block_.rows.begin + cell / block_.columns.count;
    return {static_cast<double>(column) * size_.stride, -static_cast<double>(row) * size_.stride};
}

std::int64_t Grid::cell(std::int64_t column, std::int64_t row) const {
    return (row - block_.rows.begin) * block_.columns.count + (column - block_.columns.begin);
}

CellBlock Grid::touching(const Box& box) const {
    if (box.empty()) return {};
    return {common(block_.columns, places(size_, box.min_x, box.max_x)),
            common(block_.rows, places(size_, -box.max_y, -box.min_y))};
}

}  // namespace civitas::maps
