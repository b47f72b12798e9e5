#pragma once
/// The outline of a building that describes its pixels in the fewest words: minimum description
/// length, as in Jwa, Sohn, Tao and Cho, "An implicit geometric regularization of 3D building shape
/// using airborne lidar data" (ISPRS 2008), found here exactly, by dynamic programming.
#include "outline.hpp"

namespace civitas::vectorize {

/// What an edge of an outline costs. The unit is that of the residual: the sum over the cracks of
/// the square of their distance, in pixels, to the edge that stands for them.
struct Prices {
    double square = 4;    ///< along or across the direction of the building
    double slanted = 20;  ///< at any other angle
};

/// The edges of a ring, and what they cost together with their residual.
struct Description {
    std::vector<Edge> edges;
    double cost = 0, residual = 0;
    double direction = 0;  ///< that of the walls (radians), asked for
    double better = 0;  ///< the one that suits these edges' cracks best: along the smaller second
                        ///< moment about the edges, those across turned by a right angle
};

/// The cheapest edges for a ring of cracks when most of its walls follow `direction` or its
/// perpendicular. Stretches on the tile's border are fixed edges, which cost nothing.
[[nodiscard]] Description described(const std::vector<Crack>& ring, double direction,
                                    const Prices& prices);

/// The cheapest of those in the directions given and in the better ones that they lead to.
[[nodiscard]] Description described(const std::vector<Crack>& ring,
                                    const std::vector<double>& directions, const Prices& prices);

}  // namespace civitas::vectorize
