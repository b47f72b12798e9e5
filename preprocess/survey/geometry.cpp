#include "geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace civitas::survey {

double dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y; }
double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }
double length(const Point& a) { return std::sqrt(dot(a, a)); }
Point unit(const Point& a) { return a * (1 / length(a)); }
Point left_of(const Point& direction) { return {-direction.y, direction.x}; }

Point turned(const Point& a, double radians) {
    const double c = std::cos(radians);
    const double s = std::sin(radians);
    return {c * a.x - s * a.y, s * a.x + c * a.y};
}

double signed_area(const Ring& ring) {
    double twice = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point& next = ring[(i + 1) % ring.size()];
        twice += cross(ring[i] - ring[0], next - ring[0]);
    }
    return twice / 2;
}

Point centroid(const Ring& ring) {
    Point sum;
    double weight = 0;
    for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
        const Point a = ring[i] - ring[0];
        const Point b = ring[i + 1] - ring[0];
        const double w = cross(a, b);
        sum = sum + (a + b) * w;
        weight += 3 * w;
    }
    return ring[0] + sum * (1 / weight);
}

bool inside(const Point& p, const Ring& ring) {
    bool in = false;
    for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
        const Point& a = ring[i];
        const Point& b = ring[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
            in = !in;
    }
    return in;
}

double distance(const Point& p, const Point& a, const Point& b) {
    const Point d = b - a;
    const double t = std::clamp(dot(p - a, d) / std::max(dot(d, d), 1e-12), 0.0, 1.0);
    return length(p - (a + d * t));
}

double distance(const Point& p, const Line& line) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < line.size(); ++i)
        best = std::min(best, distance(p, line[i - 1], line[i]));
    return best;
}

double distance_to_ring(const Point& p, const Ring& ring) {
    return std::min(distance(p, ring), distance(p, ring.back(), ring.front()));
}

namespace {

Point catmull_rom(const Point& a, const Point& b, const Point& c, const Point& d, double t) {
    return (b * 2 + (c - a) * t + (a * 2 - b * 5 + c * 4 - d) * (t * t) +
            (b * 3 - a - c * 3 + d) * (t * t * t)) *
           0.5;
}

Box box_along(const Ring& ring, const Point& along) {
    const Point across = left_of(along);
    double lo[2] = {1e300, 1e300};
    double hi[2] = {-1e300, -1e300};
    for (const Point& p : ring) {
        const double q[2] = {dot(p, along), dot(p, across)};
        for (int k = 0; k < 2; ++k) {
            lo[k] = std::min(lo[k], q[k]);
            hi[k] = std::max(hi[k], q[k]);
        }
    }
    const Point centre = along * ((lo[0] + hi[0]) / 2) + across * ((lo[1] + hi[1]) / 2);
    const double w = hi[0] - lo[0];
    const double h = hi[1] - lo[1];
    return w >= h ? Box{centre, along, w, h} : Box{centre, across, h, w};
}

}  // namespace

Line smooth(const Line& points, int pieces) {
    Line out;
    const std::size_t n = points.size();
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const Point& before = points[i == 0 ? 0 : i - 1];
        const Point& after = points[std::min(i + 2, n - 1)];
        for (int k = 0; k < pieces; ++k)
            out.push_back(catmull_rom(before, points[i], points[i + 1], after, double(k) / pieces));
    }
    out.push_back(points.back());
    return out;
}

Ring smooth_ring(const Ring& points, int pieces) {
    Ring out;
    const std::size_t n = points.size();
    for (std::size_t i = 0; i < n; ++i)
        for (int k = 0; k < pieces; ++k)
            out.push_back(catmull_rom(points[(i + n - 1) % n], points[i], points[(i + 1) % n],
                                      points[(i + 2) % n], double(k) / pieces));
    return out;
}

Ring rectangle(const Point& corner, const Point& along, double width, double depth) {
    const Point w = along * width;
    const Point d = left_of(along) * depth;
    return {corner, corner + w, corner + w + d, corner + d};
}

Box oriented_box(const Ring& ring) {
    Box best;
    double area = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point edge = ring[(i + 1) % ring.size()] - ring[i];
        if (length(edge) < 1e-6) continue;
        const Box box = box_along(ring, unit(edge));
        if (box.longer * box.shorter < area - 1e-6) {
            area = box.longer * box.shorter;
            best = box;
        }
    }
    return best;
}

}  // namespace civitas::survey
