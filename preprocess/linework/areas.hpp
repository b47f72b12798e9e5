#pragma once
/// Areas that are given by the lines between them, each with a point inside.
#include "tangle.hpp"

#include <memory>
#include <span>
#include <vector>

namespace civitas::linework {

/// Lines of straight edges, packed.
struct Lines {
    std::vector<Point> points;
    std::vector<std::size_t> ends;  ///< of each line among the points
};

/// The areas that the lines enclose around the places, in the order of the places: the lines are
/// cut where they meet, and each face between them goes to the first place strictly within it.
/// Nothing for a place without a face of its own. Throws Error when the lines cross, or share
/// ground, so often that it would take minutes, or GEOS gives up.
[[nodiscard]] std::vector<std::unique_ptr<OGRPolygon>> areas_around(std::span<const Point> places,
                                                                    const Lines& lines);

/// How far apart on its circle the points of an arc's chords lie.
struct ArcStep {
    /// Degrees at most, the chords of an arc being equal and at least two; with 0 they leave the
    /// arc by a millimetre at most, the unit of a survey's coordinates (GDAL's chords of 4 degrees
    /// leave a bend of 800 m by half a metre).
    double degrees = 0;
};

/// Makes chords of the arcs of a file.
class Arcs {
public:
    explicit Arcs(ArcStep step = {}) : step_(step) {}
    /// Appends the chords of an arc of a circle that begins at the last point and passes `through`;
    /// its end is exact. Throws Error, and makes none, for an arc of kilometres and where all
    /// together would be more than a file may have.
    void add(std::vector<Point>& points, Point through, Point end);

private:
    ArcStep step_;
    std::int64_t chords_ = 0;
};

}  // namespace civitas::linework
