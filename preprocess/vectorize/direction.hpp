#pragma once
/// The directions that a building's walls may follow.
#include "outline.hpp"

namespace civitas::vectorize {

/// The direction (radians, 0 to 90 degrees) that most of the length of the edges follows, across
/// counted like along. Nothing when every edge is fixed.
[[nodiscard]] std::optional<double> main_direction(const std::vector<Edge>& edges);

/// The direction (radians) of the longer axis of a ring: that of its greater second moment.
[[nodiscard]] double moment_direction(const Ring& ring);

/// The centre of the area that a ring encloses.
[[nodiscard]] Point centroid(const Ring& ring);

}  // namespace civitas::vectorize
