#pragma once
/// Which tiles train and which test: whole blocks of ground, so that no piece of ground is in both.
#include "civitas/data/tile_store.hpp"
#include "grid.hpp"

#include <optional>
#include <span>
#include <vector>

namespace civitas::maps {

/// One entry per tile, in the order of `upper_left`: nothing for a tile that lies across train and
/// test ground and must be left out. Pure: depends on the places of all tiles and the share only,
/// not on their order. Blocks are squares of 4, 2 or 1 tiles a side, the largest that make ten or
/// more; they are drawn by keyed random numbers until `test_share` of the tiles is reached as
/// closely as whole blocks allow, at least one (if there are two).
[[nodiscard]] std::vector<std::optional<data::Split>> split_ground(
    std::span<const Point> upper_left, double tile_metres, double test_share);

}  // namespace civitas::maps
