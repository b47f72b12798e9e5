#include "outline.hpp"

#include "object.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace civitas::quality {
namespace {

/// Along sides of pixels, clockwise: east, south, west, north.
constexpr std::array<Pixel, 4> ways{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
/// From a corner of pixels, the pixel that lies ahead of each way, to its right.
constexpr std::array<Pixel, 4> ahead_right{{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}}};

constexpr Pixel plus(Pixel a, Pixel b) { return {a.x + b.x, a.y + b.y}; }
constexpr Pixel minus(Pixel a, Pixel b) { return {a.x - b.x, a.y - b.y}; }
constexpr std::int64_t dot(Pixel a, Pixel b) { return a.x * b.x + a.y * b.y; }
constexpr std::int64_t squared_length(Pixel a) { return dot(a, a); }

/// To the segment from `a` to `b`. Of whole numbers, and divided once: equal distances are equal.
double squared_distance(Pixel p, Pixel a, Pixel b) {
    const Pixel along = minus(b, a), from_a = minus(p, a);
    if (dot(from_a, along) <= 0) return static_cast<double>(squared_length(from_a));
    if (dot(minus(p, b), along) >= 0) return static_cast<double>(squared_length(minus(p, b)));
    const auto across = static_cast<double>(along.x * from_a.y - along.y * from_a.x);
    return across * across / static_cast<double>(squared_length(along));
}

/// Adds the corners between two vertices, and the first of these two.
void keep(Ring::const_iterator first, Ring::const_iterator last, Ring& kept) {
    constexpr double squared_tolerance = 2;
    double most = 0;
    auto farthest = first;
    for (auto p = first; p != last; ++p)
        if (const double d = squared_distance(*p, *first, *last); d > most) most = d, farthest = p;
    if (most < squared_tolerance) {
        kept.push_back(*first);
        return;
    }
    keep(first, farthest, kept);
    keep(farthest, last, kept);
}

Ring::iterator farthest_from_mean(Ring& ring) {
    const auto n = static_cast<std::int64_t>(ring.size());
    Pixel total;
    for (const Pixel p : ring) total = plus(total, p);
    // Of n times the outline, in whole numbers: equal distances are equal.
    const auto distance = [&](Pixel p) {
        const Pixel off = minus({n * p.x, n * p.y}, total);
        const auto x = static_cast<double>(off.x), y = static_cast<double>(off.y);
        return x * x + y * y;
    };
    return std::max_element(ring.begin(), ring.end(),
                            [&](Pixel a, Pixel b) { return distance(a) < distance(b); });
}

}  // namespace

Ring outline_of(std::span<const Pixel> object) {
    const Mask mask = mask_of(object);
    Pixel first;
    while (!mask.at(first)) ++first.x;
    Ring ring;
    Pixel at = first;
    std::size_t way = 0;
    do {
        ring.push_back(at);
        const auto on_right = [&] { return mask.at(plus(at, ahead_right[way])); };
        const auto on_left = [&] { return mask.at(plus(at, ahead_right[(way + 3) % 4])); };
        do at = plus(at, ways[way]);
        while (on_right() && !on_left());
        way = (way + (on_right() ? 3 : 1)) % 4;
    } while (at != first);
    return ring;
}

Ring simplified(Ring outline) {
    std::rotate(outline.begin(), farthest_from_mean(outline), outline.end());
    const Pixel start = outline.front();
    outline.push_back(start);
    const auto opposite = std::max_element(outline.begin(), outline.end(), [&](Pixel a, Pixel b) {
        return squared_length(minus(a, start)) < squared_length(minus(b, start));
    });
    Ring corners;
    keep(outline.begin(), opposite, corners);
    keep(opposite, outline.end() - 1, corners);
    return corners;
}

double right_angles(const Ring& corners) {
    const double largest_cosine = std::sin(10 * std::numbers::pi / 180);
    const std::size_t n = corners.size();
    std::size_t right = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Pixel back = minus(corners[(i + n - 1) % n], corners[i]);
        const Pixel on = minus(corners[(i + 1) % n], corners[i]);
        const double lengths = std::sqrt(static_cast<double>(squared_length(back))) *
                               std::sqrt(static_cast<double>(squared_length(on)));
        if (std::abs(static_cast<double>(dot(back, on))) <= largest_cosine * lengths) ++right;
    }
    return static_cast<double>(right) / static_cast<double>(n);
}

}  // namespace civitas::quality
