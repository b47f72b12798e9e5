#pragma once
/// The outlines of buildings: as regular as possible, none in another's way.
#include "ogr.hpp"
#include "raster.hpp"

namespace civitas::vectorize {

/// How far lines may leave the pixels' edges.
enum class Detail {
    regular,  ///< straight edges, right angles
    fitted,   ///< straight edges
    pixels    ///< the pixels' edges themselves: always valid
};

/// One polygon per building region, in their order: the most regular outline that is valid, keeps
/// the area within 10 %, stays in the tile, overlaps no other building and is not smaller than
/// `least_area` (square pixels), or than its pixels where they are. `tolerance` in pixels.
[[nodiscard]] Polygons footprints(const std::vector<Region>& buildings, const ClassRaster& raster,
                                  double tolerance, double least_area, Detail detail);

}  // namespace civitas::vectorize
