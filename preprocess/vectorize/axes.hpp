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
/// and roads whose pixels hang together have lines that do. Short branches, which thinning leaves
/// at the corners of wide roads, are none. `tolerance` (pixels) of the lines' simplification.
[[nodiscard]] std::vector<RoadAxis> road_axes(const ClassRaster& raster, double tolerance);

}  // namespace civitas::vectorize
