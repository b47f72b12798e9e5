#pragma once
/// Where the data ends.
#include "features.hpp"

namespace civitas::maps {

/// How the ground of which the map knows all is told from the rest, from the surest to the least.
enum class EdgeOf {
    outline,     ///< given
    land_cover,  ///< its areas, which leave no gap
    hull         ///< the convex hull of buildings and roads, of each input that is far from others
};

[[nodiscard]] EdgeOf edge_of(const Settings& settings, const Plan& plan,
                             const std::vector<TaskCount>& counts);
/// "the outline given", ...
[[nodiscard]] std::string name_of(EdgeOf edge);

/// The smallest convex ring around points, counter-clockwise; fewer than three points when they lie
/// on a line.
[[nodiscard]] std::vector<Point> convex_hull(std::vector<Point> points);

/// Add to the first rank's shapes, as other ground, the convex hull of the buildings and roads of
/// each input, one for those that lie no further than so many metres from each other: of what lies
/// between two towns no map knows, between two sheets of one map there is no more. Collective.
void add_hulls(const comm::Communicator& ranks, const Plan& plan, double metres, Shapes& mine);

}  // namespace civitas::maps
