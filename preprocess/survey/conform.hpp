#pragma once
/// Neighbours made to share their vertices exactly.
#include "geometry.hpp"

namespace civitas::survey {

/// Overlays leave cracks of a billionth of a metre where a vertex of one polygon lies on an edge of
/// another. Here vertices closer than 0.01 mm become one, on a grid of 2^-20 m (exact in doubles,
/// at the origin as well as at national coordinates), and each becomes a vertex of every edge it
/// lies on. As many polygons come back, in order; those that vanish are empty.
[[nodiscard]] std::vector<OGRPolygon> conform(const std::vector<const OGRPolygon*>& lands);

}  // namespace civitas::survey
