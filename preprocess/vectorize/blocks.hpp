#pragma once
/// Blocks: the ground between the roads, built on or not.
#include "plan.hpp"

namespace civitas::vectorize {

struct Block {
    OGRPolygon shape;
    double building_share = 0;  ///< of its area
    std::int64_t buildings = 0;
    bool enclosed = true;  ///< by roads alone: the tile's border cuts nothing off
};

/// All of a plan that is no road, joined where it touches along a line. `ground`: the tile. Throws
/// Error where GEOS cannot join it.
[[nodiscard]] std::vector<Block> blocks_of(const Plan& plan, const OGRPolygon& ground);

}  // namespace civitas::vectorize
