#include "tangle.hpp"

#include <algorithm>
#include <cmath>
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

/// Counts in strips that lie along one axis, so that an edge is compared with few others.
class Count {
public:
    Count(std::vector<Edge> edges, std::int64_t most, std::int64_t most_comparisons)
        : edges_(std::move(edges)), most_(most), most_comparisons_(most_comparisons) {
        if (extent(edges_, &Point::x) > extent(edges_, &Point::y)) std::swap(along_, across_);
        std::sort(edges_.begin(), edges_.end(),
                  [&](const Edge& p, const Edge& q) { return low(p, across_) < low(q, across_); });
    }

    [[nodiscard]] std::int64_t crossings() {
        const auto step =
            4 * static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(edges_.size()))));
        std::vector<std::size_t> strip;
        for (std::size_t begin = 0; begin < edges_.size(); begin += step) {
            const double from = low(edges_[begin], across_);
            std::erase_if(strip, [&](std::size_t i) { return high(edges_[i], across_) < from; });
            for (std::size_t i = begin; i < std::min(begin + step, edges_.size()); ++i)
                strip.push_back(i);
            if (!take(strip, begin)) return most_;
        }
        return crossings_;
    }

private:
    /// Edges from `begin` on that begin in the strip, with each other and with those that go on
    /// through it; false when the count is over.
    [[nodiscard]] bool take(std::vector<std::size_t>& strip, std::size_t begin) {
        std::sort(strip.begin(), strip.end(), [&](std::size_t i, std::size_t j) {
            return low(edges_[i], along_) < low(edges_[j], along_);
        });
        comparisons_ += std::ssize(strip);
        for (std::size_t i = 0; i < strip.size(); ++i) {
            const auto& edge = edges_[strip[i]];
            const double end = high(edge, along_);
            for (std::size_t j = i + 1; j < strip.size(); ++j) {
                const auto& other = edges_[strip[j]];
                if (low(other, along_) > end) break;
                const bool begins = strip[i] >= begin || strip[j] >= begin;
                crossings_ += begins && cross(edge, other) ? 1 : 0;
                if (crossings_ >= most_ || ++comparisons_ >= most_comparisons_) return false;
            }
        }
        return true;
    }

    std::vector<Edge> edges_;
    double Point::*along_ = &Point::y;
    double Point::*across_ = &Point::x;
    std::int64_t most_, most_comparisons_;
    std::int64_t crossings_ = 0, comparisons_ = 0;
};

}  // namespace

std::int64_t crossings_of(const OGRGeometry& geometry, std::int64_t most) {
    std::vector<Edge> edges;
    collect(geometry, edges);
    return crossings_of(std::move(edges), most, most_comparisons_in_a_geometry);
}

std::int64_t crossings_of(std::vector<Edge> edges, std::int64_t most,
                          std::int64_t most_comparisons) {
    return Count(std::move(edges), most, most_comparisons).crossings();
}

}  // namespace civitas::linework
