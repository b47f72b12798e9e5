#pragma once
/// Polygons at their final place: on a grid of coordinates, and valid there.
#include "ogr.hpp"

#include <functional>

namespace civitas::vectorize {

/// Where a point comes to lie, and how fine the coordinates are there.
struct Placement {
    std::function<Point(Point)> place;
    double cells = 1000;  ///< of the grid, per unit of the coordinates: millimetres

    /// The place of a point, on the grid.
    [[nodiscard]] Point operator()(Point p) const;
};

/// From the pixel frame of a tile to metres east and north of its lower left corner, and on.
[[nodiscard]] Placement pixels_to_metres(double pixel, Point corner);

/// Each polygon at its place. Points that were equal still are, so borders stay shared. Where
/// rounding would make lines cross, all are cut anew on the grid, and every piece goes to the
/// polygon that it is a part of: hence a list for each, nearly always of one.
[[nodiscard]] std::vector<Polygons> at_place(const Polygons& polygons, const Placement& placement);

}  // namespace civitas::vectorize
