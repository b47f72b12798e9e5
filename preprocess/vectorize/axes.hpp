#pragma once
/// Roads as a graph of their centre lines.
#include "raster.hpp"

namespace civitas::vectorize {

/// The centre line of a road from one junction, end or border of the tile to the next.
struct RoadAxis {
    std::vector<Point> points;
    double width = 0;  ///< median along the line
};

/// The centre lines of the roads of a tile, in pixels. Lines that meet share their end bit for bit,
/// and roads whose pixels hang together have lines that do. At a border lines end where they cross
/// it, which those of the tile beyond do at the same places (see Skeleton). Short branches, which
/// thinning leaves at the corners of wide roads, are none. `tolerance` (pixels) of the lines'
/// simplification.
[[nodiscard]] std::vector<RoadAxis> road_axes(const TileInContext& tile, double tolerance);

}  // namespace civitas::vectorize
