#pragma once
/// One tile from pixels to polygons.
#include "axes.hpp"
#include "network.hpp"

namespace civitas::vectorize {

struct Tracing {
    double tile_metres = 250;
    Point corner = {};         ///< lower left corner of the tile, metres east and north
    double minimum_area = 12;  ///< square metres; smaller pieces go to their neighbours
    double tolerance = 1;      ///< pixels by which a straight edge may leave the pixels' middles
    Detail detail = Detail::regular;
};

/// Buildings, roads and other as valid polygons that fill the tile without gaps or overlaps, at
/// their place, in whole millimetres. Neighbours share each vertex of their border: a wall has one
/// where the ground beside it changes.
struct Plan {
    Polygons buildings, roads, other;
    std::vector<RoadAxis> axes;  ///< of the roads, in metres; they leave out what is one pixel
    /// Of the buildings: less than asked for where that could not be drawn.
    Detail detail = Detail::regular;
};

/// Precondition: the pixels are sieved(); what lies around the tile counts for its axes alone.
[[nodiscard]] Plan vectorized(const TileInContext& tile, const Tracing& tracing);

}  // namespace civitas::vectorize
