#pragma once
/// Where on Earth the coordinates of a system mean something.
#include "crs.hpp"
#include "shapes.hpp"

#include <optional>

namespace civitas::maps {

/// The ground for which a system is made, and as much again on every side: neighbours are mapped in
/// it too, but coordinates beyond are mistakes. Metres of the system itself. Nothing when the
/// system does not say, or reaches round the Earth.
[[nodiscard]] std::optional<Box> ground_of_use(const OGRSpatialReference& crs);

/// "longitude 5.96..10.49, latitude 45.82..47.81"; empty when the system does not say.
[[nodiscard]] std::string describe_use(const OGRSpatialReference& crs);

}  // namespace civitas::maps
