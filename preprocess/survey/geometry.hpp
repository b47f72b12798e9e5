#pragma once
/// Plane geometry in metres: points, rings and lines as plain values, and the overlay operations
/// of OGR on owned shapes.
#include <ogr_geometry.h>
#include <memory>
#include <vector>

namespace civitas::survey {

struct Point {
    double x = 0;
    double y = 0;
    friend Point operator+(const Point& a, const Point& b) { return {a.x + b.x, a.y + b.y}; }
    friend Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }
    friend Point operator*(const Point& a, double k) { return {a.x * k, a.y * k}; }
};

using Line = std::vector<Point>;  ///< open polyline
using Ring = std::vector<Point>;  ///< closed, the last point is not repeated

[[nodiscard]] double dot(const Point& a, const Point& b);
[[nodiscard]] double cross(const Point& a, const Point& b);
[[nodiscard]] double length(const Point& a);
[[nodiscard]] Point unit(const Point& a);
[[nodiscard]] Point left_of(const Point& direction);  ///< turned by +90 degrees
[[nodiscard]] Point turned(const Point& a, double radians);

[[nodiscard]] double signed_area(const Ring& ring);  ///< positive if counter-clockwise
[[nodiscard]] Point centroid(const Ring& ring);
[[nodiscard]] bool inside(const Point& p, const Ring& ring);
[[nodiscard]] double distance(const Point& p, const Point& a, const Point& b);  ///< to a segment
[[nodiscard]] double distance(const Point& p, const Line& line);
[[nodiscard]] double distance_to_ring(const Point& p, const Ring& ring);
/// The points joined by a smooth curve (Catmull-Rom), `pieces` segments between two points.
[[nodiscard]] Line smooth(const Line& points, int pieces);
[[nodiscard]] Ring smooth_ring(const Ring& points, int pieces);
[[nodiscard]] Ring rectangle(const Point& corner, const Point& along, double width, double depth);

/// The smallest rectangle around a ring among those along one of its edges.
struct Box {
    Point centre;
    Point along;  ///< unit vector of the long side
    double longer = 0;
    double shorter = 0;
};
[[nodiscard]] Box oriented_box(const Ring& ring);

using Shape = std::unique_ptr<OGRGeometry>;

[[nodiscard]] OGRPolygon polygon(const Ring& ring);
[[nodiscard]] Ring outer_ring(const OGRPolygon& land);  ///< counter-clockwise
[[nodiscard]] bool valid(const OGRPolygon& land);
[[nodiscard]] Shape repaired(const OGRPolygon& land);
[[nodiscard]] Shape simplified(const OGRPolygon& land, double metres);
[[nodiscard]] Shape strip(const Line& centre, double half_width);
[[nodiscard]] Shape buffer(const OGRGeometry& shape, double metres);
[[nodiscard]] Shape difference(const OGRGeometry& a, const OGRGeometry& b);
/// Without all of `parts`, which share their vertices with each other and with `a` (see conform).
[[nodiscard]] Shape difference(const OGRPolygon& a, const std::vector<OGRPolygon>& parts);
[[nodiscard]] Shape intersection(const OGRGeometry& a, const OGRGeometry& b);
[[nodiscard]] Shape together(const std::vector<OGRPolygon>& parts);
/// The polygons of a shape; lines and points are left out.
[[nodiscard]] std::vector<OGRPolygon> polygons(const OGRGeometry& shape);
/// The lines of a shape; polygons and points are left out.
[[nodiscard]] std::vector<Line> lines(const OGRGeometry& shape);

}  // namespace civitas::survey
