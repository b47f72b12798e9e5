#pragma once
/// Right angles: the outline of a building in its own direction.
#include "outline.hpp"

namespace civitas::vectorize {

/// The direction (radians, 0 to 90 degrees) that most of the length of the edges follows, across
/// counted like along. Nothing when every edge is fixed.
[[nodiscard]] std::optional<double> main_direction(const std::vector<Edge>& edges);

/// Edges within about 20 degrees of the direction, or of its perpendicular, are turned to it; short
/// edges across a corner go, small offsets between parallel edges too. An edge whose direction is
/// uncertain because it is short may turn farther: by what `doubt` pixels at its end make.
[[nodiscard]] std::vector<Edge> squared(std::vector<Edge> edges, double direction, double doubt);

/// The rectangle in this direction that the points lie on: nothing when one of them is farther
/// from it than `tolerance`.
[[nodiscard]] std::optional<Ring> rectangle(const std::vector<Crack>& cracks, double direction,
                                            double tolerance);

/// The rectangle with the area, centre and second moments of a ring; a ring about as wide as long
/// tells no direction of its own and is given `direction`.
[[nodiscard]] Ring moment_rectangle(const Ring& ring, double direction);

}  // namespace civitas::vectorize
