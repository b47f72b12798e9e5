#pragma once
/// Points, lines and rings in the pixel frame of a tile: x to the east, y to the north, the lower
/// left corner at the origin, one unit per pixel.
#include <cmath>
#include <optional>
#include <vector>

namespace civitas::vectorize {

struct Point {
    double x = 0, y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

constexpr Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
constexpr Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
constexpr Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
constexpr double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
constexpr double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
constexpr Point turned_left(Point a) { return {-a.y, a.x}; }
inline double length(Point a) { return std::hypot(a.x, a.y); }
inline double distance(Point a, Point b) { return length(a - b); }
inline Point unit(Point a) { return (1 / length(a)) * a; }

/// A closed line; the first point is not repeated.
using Ring = std::vector<Point>;

/// An outer ring and its holes.
struct Shape {
    Ring outer;
    std::vector<Ring> holes;
};

/// Signed: positive when the ring runs against the clock.
[[nodiscard]] double area(const Ring& ring);
[[nodiscard]] double area(const Shape& shape);

[[nodiscard]] Point nearest_on_segment(Point p, Point from, Point to);
/// The point of the ring closest to p. The ring must not be empty.
[[nodiscard]] Point nearest_on_ring(Point p, const Ring& ring);

/// A straight line through `centre`; `direction` has length one.
struct Line {
    Point centre, direction;
};

[[nodiscard]] Point projected(Point p, const Line& line);
/// Nothing when the lines are closer to parallel than `least_sine`.
[[nodiscard]] std::optional<Point> crossing(const Line& a, const Line& b, double least_sine);

/// Interior angles in degrees, one per corner.
[[nodiscard]] std::vector<double> angles(const Ring& ring);

}  // namespace civitas::vectorize
