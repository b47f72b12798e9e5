#pragma once
/// Polygons become pixels: a pixel belongs to a polygon when its centre does.
#include "shapes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::maps {

/// A square of ground and its pixels.
struct Frame {
    Point upper_left;
    double metres = 250;
    std::int64_t pixels = 256;
};

/// Burns polygons into tiles. Neighbouring polygons share no pixel and leave none between them: a
/// centre on a common edge belongs to exactly one. Rings of one polygon count even-odd. Keeps its
/// working memory between polygons.
class Burner {
public:
    explicit Burner(Frame frame);

    /// Go on with another square of the same size.
    void move_to(Point upper_left) { frame_.upper_left = upper_left; }
    /// Set the pixels of the shape, row by row from the north-west, to `value`.
    void burn(const ShapeView& shape, std::uint8_t value, std::span<std::uint8_t> pixels);

private:
    void cross(Point a, Point b);
    [[nodiscard]] Point in_pixels(Point p) const;
    [[nodiscard]] std::int64_t first_centre(double at) const;

    Frame frame_;
    std::vector<std::vector<double>> crossings_;  ///< per row of pixels, in pixels
    Range touched_;                               ///< rows that hold crossings
};

}  // namespace civitas::maps
