#include "lot.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::survey {
namespace {

struct Extent {
    double low = 1e300;
    double high = -1e300;
};

Extent extent(const Ring& ring, const Point& axis) {
    Extent e;
    for (const Point& p : ring) {
        e.low = std::min(e.low, dot(p, axis));
        e.high = std::max(e.high, dot(p, axis));
    }
    return e;
}

/// Whether an edge normal of `a` shows a gap of at least `clearance` to `b`; both are convex.
bool gap(const Ring& a, const Ring& b, double clearance) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Point axis = left_of(unit(a[(i + 1) % a.size()] - a[i]));
        const Extent p = extent(a, axis);
        const Extent q = extent(b, axis);
        if (std::max(q.low - p.high, p.low - q.high) >= clearance) return true;
    }
    return false;
}

bool well_inside(const Ring& ground, const Ring& lot, double margin) {
    for (const Point& p : ground)
        if (!inside(p, lot) || distance_to_ring(p, lot) < margin) return false;
    return std::none_of(lot.begin(), lot.end(), [&](const Point& p) {
        return inside(p, ground) || distance_to_ring(p, ground) < margin;
    });
}

}  // namespace

bool Lot::take(const Ring& ground, double margin, double clearance) {
    if (!well_inside(ground, ring_, margin)) return false;
    for (const Ring& other : taken_)
        if (!gap(ground, other, clearance) && !gap(other, ground, clearance)) return false;
    taken_.push_back(ground);
    return true;
}

std::vector<Side> straight_sides(const Ring& ring) {
    constexpr double bend = 0.08;
    std::vector<Side> sides;
    const std::size_t n = ring.size();
    for (std::size_t i = 0; i < n; ++i) {
        const Point& a = ring[i];
        const Point edge = ring[(i + 1) % n] - a;
        if (length(edge) < 1) continue;
        const Point along = unit(edge);
        if (!sides.empty() && std::abs(cross(sides.back().along, along)) < bend &&
            dot(sides.back().along, along) > 0) {
            const Point whole = ring[(i + 1) % n] - sides.back().start;
            sides.back() = {sides.back().start, unit(whole), length(whole)};
        } else {
            sides.push_back({a, along, length(edge)});
        }
    }
    return sides;
}

}  // namespace civitas::survey
