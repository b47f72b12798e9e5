#pragma once
/// From the stairs of pixel edges to straight lines. The middles of the pixel edges ("cracks") of a
/// straight border lie within half a pixel of it, so they are what lines are fitted to.
#include "raster.hpp"

namespace civitas::vectorize {

/// One pixel edge of a region's ring.
struct Crack {
    Point from, middle;
    std::uint8_t beyond = kOutside;  ///< class on the far side
};

[[nodiscard]] inline bool on_border(const Crack& crack) { return crack.beyond == kOutside; }

/// Cracks of a ring that follow each other, all on the tile's border or none.
struct RingPart {
    std::vector<Crack> cracks;
    bool on_border = false;
};
/// The ring in such parts, from where it enters or leaves the border on; one where it does neither.
[[nodiscard]] std::vector<RingPart> parts_at_border(std::vector<Crack> ring);

/// The unit edges of a ring that runs along pixel edges, in its order. `own`: the region's class.
[[nodiscard]] std::vector<Crack> cracks(const Ring& ring, const ClassRaster& raster,
                                        std::uint8_t own);

/// Douglas-Peucker: numbers of the points kept, ascending, first and last among them.
[[nodiscard]] std::vector<std::size_t> simplified(const std::vector<Point>& points,
                                                  double tolerance);
/// The same of a closed line: where it starts does not matter, and no point is kept for that.
[[nodiscard]] std::vector<std::size_t> simplified_closed(const std::vector<Point>& points,
                                                         double tolerance);

/// Rounds of binomial smoothing, which take off stairs and noise; the ends stay.
[[nodiscard]] std::vector<Point> smoothed(std::vector<Point> points, long rounds);

/// A straight stretch of an outline.
struct Edge {
    Line line;
    double length = 0;
    Point start;         ///< about where it begins
    bool fixed = false;  ///< lies on the tile's border and stays there
    int axis = -1;       ///< 0 or 1: along or across the building's direction; -1: neither
};

/// Edges fitted (least squares) to the middles of an open run of cracks between two ends.
[[nodiscard]] std::vector<Edge> fitted_edges(const std::vector<Point>& points, Point start,
                                             double tolerance);
/// Edges of a whole ring; those on the tile's border are fixed. Fewer than three: no outline.
[[nodiscard]] std::vector<Edge> fitted_edges(const std::vector<Crack>& ring, double tolerance);

/// Where two consecutive edges meet, near `b.start`: their crossing, or one point on each where
/// they are parallel or the crossing is far away.
[[nodiscard]] std::vector<Point> corner(const Edge& a, const Edge& b);
/// The ring through all corners, without repeated points or points on straight lines.
[[nodiscard]] Ring closed_outline(const std::vector<Edge>& edges);
[[nodiscard]] Ring tidied(const Ring& ring, double closeness);

}  // namespace civitas::vectorize
