#include "shapes.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::maps {

void Box::include(Point p) {
    min_x = std::min(min_x, p.x);
    min_y = std::min(min_y, p.y);
    max_x = std::max(max_x, p.x);
    max_y = std::max(max_y, p.y);
}

void Box::include(const Box& other) {
    if (other.empty()) return;
    include(Point{other.min_x, other.min_y});
    include(Point{other.max_x, other.max_y});
}

bool Box::meets(const Box& other) const {
    return min_x <= other.max_x && max_x >= other.min_x && min_y <= other.max_y &&
           max_y >= other.min_y;
}

std::span<const Point> ShapeView::ring(std::size_t i) const {
    const auto begin = i == 0 ? 0 : ring_ends[i - 1] - first_point;
    const auto end = ring_ends[i] - first_point;
    return points.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void Shapes::begin(LandClass value, const Origin& origin) {
    heads_.push_back({value, origin, static_cast<std::int64_t>(ring_ends_.size())});
}

void Shapes::add_ring(std::span<const Point> ring) {
    points_.insert(points_.end(), ring.begin(), ring.end());
    ring_ends_.push_back(static_cast<std::int64_t>(points_.size()));
    heads_.back().ring_end = static_cast<std::int64_t>(ring_ends_.size());
    auto& box = ring_boxes_.emplace_back();
    for (const auto& point : ring) box.include(point);
}

void Shapes::append(const ShapeView& shape) {
    append(shape, [](const Box&) { return true; });
}

ShapeView Shapes::at(std::int64_t i) const {
    const auto& head = heads_[static_cast<std::size_t>(i)];
    const auto ring = i == 0 ? 0 : heads_[static_cast<std::size_t>(i - 1)].ring_end;
    const auto first = ring == 0 ? 0 : ring_ends_[static_cast<std::size_t>(ring - 1)];
    const auto place = static_cast<std::size_t>(ring);
    const auto count = static_cast<std::size_t>(head.ring_end - ring);
    const auto ends = std::span(ring_ends_).subspan(place, count);
    const auto boxes = std::span(ring_boxes_).subspan(place, count);
    const auto end = ends.empty() ? first : ends.back();
    const std::span<const Point> points = std::span(points_).subspan(
        static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
    return {head.value, head.origin, points, ends, boxes, first};
}

Shapes Shapes::broadcast(const comm::Communicator& ranks, Rank owner, const Shapes& all,
                         Range some) {
    Shapes part;
    if (ranks.rank() == owner)
        for (auto i = some.begin; i < some.end(); ++i) part.append(all.at(i));
    part.heads_ = ranks.broadcast(std::move(part.heads_), owner);
    part.ring_ends_ = ranks.broadcast(std::move(part.ring_ends_), owner);
    part.ring_boxes_ = ranks.broadcast(std::move(part.ring_boxes_), owner);
    part.points_ = ranks.broadcast(std::move(part.points_), owner);
    return part;
}

namespace {

using Ring = std::vector<Point>;

double area_of_ring(const Ring& ring) {
    double twice = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        // Relative to the first point: survey coordinates are a million times a house.
        const Point a{ring[i].x - ring[0].x, ring[i].y - ring[0].y};
        const auto& next = ring[(i + 1) % ring.size()];
        twice += a.x * (next.y - ring[0].y) - (next.x - ring[0].x) * a.y;
    }
    return std::abs(twice) / 2;
}

/// Sutherland and Hodgman: the part of the ring with inside(point) >= 0, a linear function.
template <class Inside>
Ring cut_off(std::span<const Point> ring, Inside&& inside) {
    Ring kept;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point a = ring[i], b = ring[(i + 1) % ring.size()];
        const double at_a = inside(a), at_b = inside(b);
        if (at_a >= 0) kept.push_back(a);
        if ((at_a >= 0) == (at_b >= 0)) continue;
        const double t = at_a / (at_a - at_b);
        kept.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
    }
    return kept;
}

}  // namespace

double area_within(const ShapeView& shape, const Box& box) {
    double area = 0;
    for (std::size_t r = 0; r < shape.rings(); ++r) {
        if (!shape.ring_boxes[r].meets(box)) continue;
        auto ring = cut_off(shape.ring(r), [&](Point p) { return p.x - box.min_x; });
        ring = cut_off(ring, [&](Point p) { return box.max_x - p.x; });
        ring = cut_off(ring, [&](Point p) { return p.y - box.min_y; });
        ring = cut_off(ring, [&](Point p) { return box.max_y - p.y; });
        area += (r == 0 ? 1 : -1) * area_of_ring(ring);
    }
    return area;
}

}  // namespace civitas::maps
