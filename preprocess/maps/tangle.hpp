#pragma once
/// Polygons and lines that cross themselves so often that mending them would never end.
#include <ogr_geometry.h>
#include <cstdint>

namespace civitas::maps {

/// How often edges of a geometry cross each other; counting stops at `most`, and returns it too
/// when the edges are so entangled that the count itself would take long.
[[nodiscard]] std::int64_t crossings_of(const OGRGeometry& geometry, std::int64_t most);

}  // namespace civitas::maps
