#include "tangle.hpp"

#include "shapes.hpp"

#include <algorithm>
#include <vector>

namespace civitas::maps {
namespace {

constexpr std::int64_t most_comparisons = 50'000'000;

struct Edge {
    Point a, b;
    [[nodiscard]] double low(double Point::*axis) const { return std::min(a.*axis, b.*axis); }
    [[nodiscard]] double high(double Point::*axis) const { return std::max(a.*axis, b.*axis); }
};

void collect(const OGRSimpleCurve& curve, std::vector<Edge>& edges) {
    for (int i = 0; i + 1 < curve.getNumPoints(); ++i)
        edges.push_back({{curve.getX(i), curve.getY(i)}, {curve.getX(i + 1), curve.getY(i + 1)}});
}

void collect(const OGRGeometry& geometry, std::vector<Edge>& edges) {
    const auto type = wkbFlatten(geometry.getGeometryType());
    if (type == wkbLineString) return collect(*geometry.toLineString(), edges);
    if (type == wkbPolygon)
        for (const auto* ring : *geometry.toPolygon()) collect(*ring, edges);
}

/// Twice the signed area of a triangle.
double side(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

bool cross(const Edge& p, const Edge& q) {
    return side(p.a, p.b, q.a) * side(p.a, p.b, q.b) < 0 &&
           side(q.a, q.b, p.a) * side(q.a, q.b, p.b) < 0;
}

/// The axis along which the edges lie farther apart.
double Point::*long_axis(const std::vector<Edge>& edges) {
    Box box;
    for (const auto& edge : edges) {
        box.include(edge.a);
        box.include(edge.b);
    }
    return box.max_x - box.min_x > box.max_y - box.min_y ? &Point::x : &Point::y;
}

}  // namespace

std::int64_t crossings_of(const OGRGeometry& geometry, std::int64_t most) {
    std::vector<Edge> edges;
    collect(geometry, edges);
    const auto axis = long_axis(edges);
    std::sort(edges.begin(), edges.end(),
              [&](const Edge& p, const Edge& q) { return p.low(axis) < q.low(axis); });
    std::int64_t crossings = 0, comparisons = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const double end = edges[i].high(axis);
        for (std::size_t j = i + 1; j < edges.size() && edges[j].low(axis) <= end; ++j) {
            crossings += cross(edges[i], edges[j]) ? 1 : 0;
            if (crossings >= most || ++comparisons >= most_comparisons) return most;
        }
    }
    return crossings;
}

}  // namespace civitas::maps
