#include "frontage.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::survey {
namespace {

/// A party wall: where it meets the edge of the block.
struct Wall {
    std::size_t edge = 0;
    double along = 0;
};

class Perimeter {
public:
    explicit Perimeter(const Ring& ring) : ring_(ring) {}

    [[nodiscard]] std::size_t size() const { return ring_.size(); }
    [[nodiscard]] const Point& corner(std::size_t i) const { return ring_[i % size()]; }
    [[nodiscard]] double edge_length(std::size_t i) const {
        return length(corner(i + 1) - corner(i));
    }
    [[nodiscard]] Point along(std::size_t i) const { return unit(corner(i + 1) - corner(i)); }
    [[nodiscard]] Point front(const Wall& w) const {
        return corner(w.edge) + along(w.edge) * w.along;
    }
    [[nodiscard]] Point back(const Wall& w, double depth) const {
        return front(w) + left_of(along(w.edge)) * depth;
    }
    /// Where the lines `depth` behind the two edges at a corner meet.
    [[nodiscard]] Point behind(std::size_t i, double depth) const {
        const Point a = left_of(along(i + size() - 1));
        const Point b = left_of(along(i));
        return corner(i) + (a + b) * (depth / (1 + dot(a, b)));
    }
    [[nodiscard]] Ring behind(double depth) const {
        Ring out;
        for (std::size_t i = 0; i < size(); ++i) out.push_back(behind(i, depth));
        return out;
    }

private:
    const Ring& ring_;
};

/// Walls stand only where the houses on both sides of a corner leave room for each other.
void add_walls(const Perimeter& perimeter, std::size_t edge, const FrontageStyle& style, Dice& dice,
               std::vector<Wall>& walls) {
    constexpr double corner_front = 4;
    const Point along = perimeter.along(edge);
    const double whole = perimeter.edge_length(edge);
    const double from =
        std::max(0.0, dot(perimeter.behind(edge, style.depth) - perimeter.corner(edge), along)) +
        corner_front;
    const double to =
        whole - corner_front -
        std::max(0.0,
                 dot(perimeter.corner(edge + 1) - perimeter.behind(edge + 1, style.depth), along));
    if (to - from < 0.5 * style.front) return;
    const int count = std::max(1, static_cast<int>(std::lround((to - from) / style.front)));
    const double step = (to - from) / count;
    for (int k = 0; k <= count; ++k) {
        const bool end = k == 0 || k == count;
        walls.push_back({edge, from + step * (k + (end ? 0 : dice.between(-0.18, 0.18)))});
    }
}

OGRPolygon house(const Perimeter& perimeter, const Wall& a, const Wall& b, double depth) {
    Ring ring{perimeter.front(a)};
    const std::size_t corners = (b.edge + perimeter.size() - a.edge) % perimeter.size();
    for (std::size_t k = 1; k <= corners; ++k) ring.push_back(perimeter.corner(a.edge + k));
    ring.push_back(perimeter.front(b));
    ring.push_back(perimeter.back(b, depth));
    for (std::size_t k = corners; k >= 1; --k)
        ring.push_back(perimeter.behind((a.edge + k) % perimeter.size(), depth));
    ring.push_back(perimeter.back(a, depth));
    return polygon(ring);
}

bool has_courtyard(const Ring& block, const Perimeter& perimeter, double depth) {
    const Ring yard = perimeter.behind(depth);
    return signed_area(yard) > 120 && signed_area(yard) < signed_area(block) &&
           valid(polygon(yard)) &&
           std::all_of(yard.begin(), yard.end(), [&](const Point& p) { return inside(p, block); });
}

}  // namespace

std::vector<OGRPolygon> frontage(const Ring& block, const FrontageStyle& style, Dice& dice) {
    const Perimeter perimeter(block);
    if (!has_courtyard(block, perimeter, style.depth + 1)) return {};
    std::vector<Wall> walls;
    for (std::size_t i = 0; i < perimeter.size(); ++i) add_walls(perimeter, i, style, dice, walls);
    if (walls.size() < 3) return {};
    std::vector<OGRPolygon> houses;
    for (std::size_t k = 0; k < walls.size(); ++k) {
        const Wall& a = walls[k];
        const Wall& b = walls[(k + 1) % walls.size()];
        const double depth = style.depth * (1 - 0.08 * dice.whole(0, 2));
        if (a.edge == b.edge && dice.chance(style.gap_share)) continue;
        houses.push_back(house(perimeter, a, b, depth));
    }
    return houses;
}

}  // namespace civitas::survey
