#pragma once
/// The outline of an object of pixels, such as a building, and its corners.
#include "civitas/quality/mask.hpp"

#include <span>
#include <vector>

namespace civitas::quality {

/// Corners of pixels one after the other, the last joined to the first: {x, y} is the north-west
/// corner of that pixel.
using Ring = std::vector<Pixel>;

/// Where the outer border along sides of pixels turns, clockwise from the north-west corner of the
/// first pixel, row by row, counted from the north-west corner of the box around the object. Pixels
/// that only touch at a corner lie apart there. Precondition: a component, pixels that share sides.
[[nodiscard]] Ring outline_of(std::span<const Pixel> object);

/// The corners that Douglas and Peucker (1973) leave, where what lies nearer than sqrt(2) pixels to
/// a line goes: all stairs of a straight wall do, at any angle. The ring is split at the vertex
/// farthest from the mean of its vertices and at the one farthest from that; of those as far, the
/// first counts, so that a turned or mirrored copy may have other corners. Two are left of a bar
/// that is one pixel wide. Precondition: an outline as outline_of() makes it.
[[nodiscard]] Ring simplified(Ring outline);

/// The share of corners that turn by a right angle to either side, give or take 10 degrees.
/// Precondition: there are corners, and no two that follow each other are the same point.
[[nodiscard]] double right_angles(const Ring& corners);

}  // namespace civitas::quality
