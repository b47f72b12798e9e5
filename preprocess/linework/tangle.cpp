#include "tangle.hpp"

#include <algorithm>
#include <limits>

namespace civitas::linework {
namespace {

constexpr std::int64_t most_comparisons_in_a_geometry = 50'000'000;

double low(const Edge& edge, double Point::*axis) { return std::min(edge.a.*axis, edge.b.*axis); }
double high(const Edge& edge, double Point::*axis) { return std::max(edge.a.*axis, edge.b.*axis); }

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

double extent(const std::vector<Edge>& edges, double Point::*axis) {
    double first = std::numeric_limits<double>::max(), last = std::numeric_limits<double>::lowest();
    for (const auto& edge : edges) {
        first = std::min(first, low(edge, axis));
        last = std::max(last, high(edge, axis));
    }
    return last - first;
}

}  // namespace

std::int64_t crossings_of(const OGRGeometry& geometry, std::int64_t most) {
    std::vector<Edge> edges;
    collect(geometry, edges);
    return crossings_of(std::move(edges), most, most_comparisons_in_a_geometry);
}

std::int64_t crossings_of(std::vector<Edge> edges, std::int64_t most,
                          std::int64_t most_comparisons) {
    const auto axis = extent(edges, &Point::x) > extent(edges, &Point::y) ? &Point::x : &Point::y;
    std::sort(edges.begin(), edges.end(),
              [&](const Edge& p, const Edge& q) { return low(p, axis) < low(q, axis); });
    std::int64_t crossings = 0, comparisons = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const double end = high(edges[i], axis);
        for (std::size_t j = i + 1; j < edges.size() && low(edges[j], axis) <= end; ++j) {
            crossings += cross(edges[i], edges[j]) ? 1 : 0;
            if (crossings >= most || ++comparisons >= most_comparisons) return most;
        }
    }
    return crossings;
}

}  // namespace civitas::linework
