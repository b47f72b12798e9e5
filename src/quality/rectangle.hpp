#pragma once
/// The smallest rectangle, at any angle, around pixels.
#include "civitas/quality/mask.hpp"

#include <span>

namespace civitas::quality {

/// In pixels and radians.
struct Rectangle {
    double length = 0;  ///< the longer side
    double width = 0;
    double angle = 0;  ///< of a side to the nearest of the grid's directions, 0 to pi / 4
    [[nodiscard]] double area() const { return length * width; }
};

/// The one of least area: a side of it lies along a side of the convex hull (Freeman and Shapira
/// 1975). Of equally small ones it is the one nearest to the grid's directions. Pixels are squares,
/// not points. Precondition: there is a pixel.
[[nodiscard]] Rectangle smallest_rectangle(std::span<const Pixel> pixels);

}  // namespace civitas::quality
