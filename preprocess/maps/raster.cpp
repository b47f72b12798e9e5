#include "raster.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::maps {

Burner::Burner(Frame frame)
    : frame_(frame), crossings_(static_cast<std::size_t>(frame.pixels)), touched_{} {}

/// Pixel centres lie at whole numbers, rows counting southwards.
Point Burner::in_pixels(Point p) const {
    const double scale = static_cast<double>(frame_.pixels) / frame_.metres;
    return {(p.x - frame_.upper_left.x) * scale - 0.5, (frame_.upper_left.y - p.y) * scale - 0.5};
}

/// The first centre at or after a place, within the tile.
std::int64_t Burner::first_centre(double at) const {
    return static_cast<std::int64_t>(
        std::clamp(std::ceil(at), 0.0, static_cast<double>(frame_.pixels)));
}

void Burner::cross(Point a, Point b) {
    // From north to south whichever way the ring runs, so that both neighbours of an edge compute
    // the very same crossing.
    if (a.y > b.y) std::swap(a, b);
    const auto first = first_centre(a.y);
    const auto end = first_centre(b.y);
    if (first >= end) return;
    const double slope = (b.x - a.x) / (b.y - a.y);
    for (auto row = first; row < end; ++row)
        crossings_[static_cast<std::size_t>(row)].push_back(a.x + (static_cast<double>(row) - a.y) *
                                                                      slope);
    if (touched_.count == 0) touched_ = {first, 0};
    const auto last = std::max(touched_.end(), end);
    touched_.begin = std::min(touched_.begin, first);
    touched_.count = last - touched_.begin;
}

void Burner::burn(const ShapeView& shape, std::uint8_t value, std::span<std::uint8_t> pixels) {
    const auto& [west, north] = frame_.upper_left;
    const Box tile{west, north - frame_.metres, west + frame_.metres, north};
    for (std::size_t r = 0; r < shape.rings(); ++r) {
        if (!shape.ring_boxes[r].meets(tile)) continue;
        const auto ring = shape.ring(r);
        Point last = in_pixels(ring.back());
        for (const auto& point : ring) {
            const Point next = in_pixels(point);
            cross(last, next);
            last = next;
        }
    }
    for (auto row = touched_.begin; row < touched_.end(); ++row) {
        auto& at = crossings_[static_cast<std::size_t>(row)];
        std::sort(at.begin(), at.end());
        const auto line = pixels.subspan(static_cast<std::size_t>(row * frame_.pixels),
                                         static_cast<std::size_t>(frame_.pixels));
        for (std::size_t i = 0; i + 1 < at.size(); i += 2)
            std::fill(line.begin() + first_centre(at[i]), line.begin() + first_centre(at[i + 1]),
                      value);
        at.clear();
    }
    touched_ = {};
}

}  // namespace civitas::maps
