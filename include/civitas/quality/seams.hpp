#pragma once
/// Tiles that lie side by side: does what one ends with go on in the other?
#include "civitas/base/numbers.hpp"
#include "civitas/quality/class_map.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace civitas::quality {

/// Two tiles of a list that share a border.
struct Seam {
    enum class Side { east, south };
    std::size_t tile = 0;
    std::size_t neighbour = 0;  ///< it lies on this side of the tile
    Side side = Side::east;
};

/// Tiles, and which of them lie side by side.
struct SeamTiles {
    std::vector<ClassMap> tiles;
    std::vector<Seam> seams;
};

/// Of the pixels of a class along both sides of seams, the share that has one of its class across,
/// straight or a pixel to either side. NaN where there is none.
struct Continued {
    double building = 0;
    double road = 0;
};
[[nodiscard]] Continued continued(const SeamTiles& of);

/// The same tiles with as many seams between them by chance: what fits without being made to.
[[nodiscard]] SeamTiles by_chance(SeamTiles of, Seed seed);

}  // namespace civitas::quality
