#pragma once
/// The lines of a tile as one network: outlines of buildings, borders of roads, the tile's square.
/// What is cut out of the plane by one network fits together by construction.
#include "footprint.hpp"

namespace civitas::vectorize {

using Polyline = std::vector<Point>;

/// All lines of a tile.
struct Network {
    std::vector<Ring> rings;  ///< of the buildings; the tile's square is the last
    std::vector<Polyline> road_borders;
};

/// Buildings, the tile's square, and the lines between road and open ground. Each of these ends at
/// a point that the ring it meets passes through, bit for bit, so that no gap stays open. `detail`:
/// of the roads; along the pixels they are closed rings, which need no building to end at.
[[nodiscard]] Network network(const std::vector<Region>& roads, const ClassRaster& raster,
                              const Polygons& buildings, double tolerance, Detail detail);

/// The faces that all the lines together cut the tile into. Throws Error when GEOS gives up.
[[nodiscard]] Polygons faces(const Network& lines);

/// Open ground and roads of a tile, buildings left out, slivers gone.
struct Ground {
    Polygons buildings, roads, other;
};

/// Give each face to roads or other by the pixels in it; what is smaller than `least_area` (square
/// pixels) or narrower than half a pixel goes to its neighbours.
[[nodiscard]] Ground assigned(const Polygons& faces, const Polygons& buildings,
                              const ClassRaster& raster, double least_area);

}  // namespace civitas::vectorize
