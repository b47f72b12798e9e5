#pragma once
/// Lines that cross so often that what is made of them would never end.
#include <ogr_geometry.h>
#include <cstdint>
#include <vector>

namespace civitas::linework {

struct Point {
    double x = 0, y = 0;  ///< easting, northing in metres
};

struct Edge {
    Point a, b;
};

/// How often edges of a geometry cross each other; counting stops at `most`, and returns it too
/// when the edges are so entangled that the count itself would take long.
[[nodiscard]] std::int64_t crossings_of(const OGRGeometry& geometry, std::int64_t most);

/// The same of any edges, of which at most so many pairs are compared.
[[nodiscard]] std::int64_t crossings_of(std::vector<Edge> edges, std::int64_t most,
                                        std::int64_t most_comparisons);

}  // namespace civitas::linework
