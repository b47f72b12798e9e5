#include "rectangle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

namespace civitas::quality {
namespace {

std::vector<Pixel> sorted_corners(std::span<const Pixel> pixels) {
    std::vector<Pixel> corners;
    for (const Pixel p : pixels)
        for (const Pixel q : {p, {p.x + 1, p.y}, {p.x, p.y + 1}, {p.x + 1, p.y + 1}})
            corners.push_back(q);
    const auto order = [](Pixel p) { return std::tuple(p.x, p.y); };
    std::sort(corners.begin(), corners.end(),
              [&](Pixel a, Pixel b) { return order(a) < order(b); });
    return corners;
}

std::int64_t turn(Pixel a, Pixel b, Pixel c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// One side of the hull, by Andrew's monotone chain (1979).
template <class Iterator>
void add_chain(std::vector<Pixel>& hull, Iterator first, Iterator last) {
    const std::size_t begin = hull.size();
    for (; first != last; ++first) {
        while (hull.size() >= begin + 2 && turn(hull[hull.size() - 2], hull.back(), *first) <= 0)
            hull.pop_back();
        hull.push_back(*first);
    }
    hull.pop_back();  // the next chain begins with it
}

std::vector<Pixel> convex_hull(const std::vector<Pixel>& sorted) {
    std::vector<Pixel> hull;
    add_chain(hull, sorted.begin(), sorted.end());
    add_chain(hull, sorted.rbegin(), sorted.rend());
    return hull;
}

struct Direction {
    double x = 0;
    double y = 0;
};

double extent(const std::vector<Pixel>& hull, Direction d) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Pixel p : hull) {
        const double along = d.x * static_cast<double>(p.x) + d.y * static_cast<double>(p.y);
        least = std::min(least, along);
        most = std::max(most, along);
    }
    return most - least;
}

Rectangle rectangle_along(const std::vector<Pixel>& hull, Direction d) {
    const double along = extent(hull, d), across = extent(hull, {-d.y, d.x});
    const double quarter = std::numbers::pi / 2;
    const double turned = std::fmod(std::atan2(d.y, d.x) + 4 * quarter, quarter);
    return {std::max(along, across), std::min(along, across), std::min(turned, quarter - turned)};
}

/// Smaller, or as small but for rounding and nearer to the grid's directions.
bool better(const Rectangle& a, const Rectangle& b) {
    constexpr double rounding = 1e-9;
    if (a.area() < b.area() * (1 - rounding)) return true;
    return a.area() < b.area() * (1 + rounding) && a.angle < b.angle - rounding;
}

}  // namespace

Rectangle smallest_rectangle(std::span<const Pixel> pixels) {
    const auto hull = convex_hull(sorted_corners(pixels));
    Rectangle best;
    for (std::size_t i = 0; i < hull.size(); ++i) {
        const Pixel a = hull[i], b = hull[(i + 1) % hull.size()];
        const auto x = static_cast<double>(b.x - a.x), y = static_cast<double>(b.y - a.y);
        const double length = std::hypot(x, y);
        const Rectangle r = rectangle_along(hull, {x / length, y / length});
        if (best.length == 0 || better(r, best)) best = r;
    }
    return best;
}

}  // namespace civitas::quality
