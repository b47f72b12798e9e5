#include "geometry.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace civitas::vectorize {

double area(const Ring& ring) {
    double twice = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        twice += cross(ring[i] - ring[0], ring[(i + 1) % ring.size()] - ring[0]);
    }
    return twice / 2;
}

double area(const Shape& shape) {
    double sum = std::abs(area(shape.outer));
    for (const auto& hole : shape.holes) sum -= std::abs(area(hole));
    return sum;
}

Point nearest_on_segment(Point p, Point from, Point to) {
    const Point along = to - from;
    const double square = dot(along, along);
    if (square == 0) return from;
    return from + std::clamp(dot(p - from, along) / square, 0.0, 1.0) * along;
}

Point nearest_on_ring(Point p, const Ring& ring) {
    Point best = ring.front();
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point q = nearest_on_segment(p, ring[i], ring[(i + 1) % ring.size()]);
        if (distance(p, q) < distance(p, best)) best = q;
    }
    return best;
}

Point projected(Point p, const Line& line) {
    return line.centre + dot(p - line.centre, line.direction) * line.direction;
}

std::optional<Point> crossing(const Line& a, const Line& b, double least_sine) {
    const double sine = cross(a.direction, b.direction);
    if (std::abs(sine) <= least_sine) return std::nullopt;
    return a.centre + (cross(b.centre - a.centre, b.direction) / sine) * a.direction;
}

std::vector<double> angles(const Ring& ring) {
    const double sign = area(ring) >= 0 ? 1 : -1;
    const std::size_t n = ring.size();
    std::vector<double> all(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Point in = ring[i] - ring[(i + n - 1) % n];
        const Point out = ring[(i + 1) % n] - ring[i];
        const double turn = sign * std::atan2(cross(in, out), dot(in, out));
        all[i] = 180 - turn * 180 / std::numbers::pi;
    }
    return all;
}

}  // namespace civitas::vectorize
