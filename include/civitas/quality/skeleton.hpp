#pragma once
/// Skeletons of roads, and the networks that they are.
#include "civitas/quality/mask.hpp"

namespace civitas::quality {

/// Lines of one pixel's width, by the parallel thinning of Guo and Hall (Comm. ACM 32, 1989).
/// Pixels that hung together, over corners too, still do.
[[nodiscard]] Mask skeleton_of(const Mask& mask);
/// The pixels that a skeleton joins to one of its own: over a side, and over a corner where no
/// pixel shares a side with both. Clockwise from the north.
[[nodiscard]] std::vector<Pixel> joined_to(const Mask& skeleton, Pixel p);

/// What the skeleton's network has in a tile. Its nodes are the pixels; edges join those that share
/// a side, and those that share a corner where no pixel shares a side with both.
struct Network {
    double length = 0;  ///< of edges in pixels, 1 or sqrt(2); one across the border counts half
    std::int64_t junctions = 0;  ///< groups of neighbouring nodes with three edges or more
    std::int64_t dead_ends = 0;  ///< nodes with one edge, or none
    std::int64_t exits = 0;      ///< edges across the tile's border
};

/// The network of a tile's roads. Roads are thought of as going on beyond its border as they reach
/// it, so that one that leaves has no end there.
[[nodiscard]] Network network_of(const Mask& roads);

}  // namespace civitas::quality
