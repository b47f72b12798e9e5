#include "stretch.hpp"

#include <algorithm>

namespace civitas::vectorize {
namespace {

constexpr std::size_t kShortestSlanted = 6;  // cracks

}  // namespace

Stretch::Stretch(std::vector<Crack> cracks, double direction, bool closed)
    : cracks_(std::move(cracks)),
      closed_(closed),
      along_{std::cos(direction), std::sin(direction)} {
    sum();
}

void Stretch::sum() {
    const Point origin = cracks_.front().middle;
    sums_.assign(1, {});
    for (const auto& crack : cracks_) {
        const Point p = crack.middle - origin;
        const double x = dot(p, along_), y = cross(along_, p);
        Scatter s = sums_.back();
        s.n += 1, s.x += x, s.y += y, s.xx += x * x, s.xy += x * y, s.yy += y * y;
        sums_.push_back(s);
    }
}

Scatter Stretch::scatter(std::size_t first, std::size_t last) const {
    const auto &a = sums_[first], &b = sums_[last];
    return {b.n - a.n, b.x - a.x, b.y - a.y, b.xx - a.xx, b.xy - a.xy, b.yy - a.yy};
}

std::array<double, kKinds> Stretch::residuals(std::size_t first, std::size_t last) const {
    const auto s = scatter(first, last);
    const double a = std::max(0.0, s.from_along()), b = std::max(0.0, s.from_across());
    const double half = (a - b) / 2;  // the smaller root of the scatter's characteristic equation
    const double slanted = (a + b) / 2 - std::sqrt(half * half + s.mixed() * s.mixed());
    return {a, b, last - first < kShortestSlanted ? kNever : std::max(0.0, slanted)};
}

/// Mean of the middle half of the cracks' distances: corners rounded off move it little.
double Stretch::middle_offset(std::size_t first, std::size_t last, const Line& line) const {
    std::vector<double> offsets;
    for (std::size_t i = first; i < last; ++i)
        offsets.push_back(cross(line.direction, cracks_[i].middle - line.centre));
    std::sort(offsets.begin(), offsets.end());
    const std::size_t left_out = offsets.size() / 4;
    double total = 0;
    for (std::size_t i = left_out; i < offsets.size() - left_out; ++i) total += offsets[i];
    return total / static_cast<double>(offsets.size() - 2 * left_out);
}

Edge Stretch::edge(std::size_t first, std::size_t last, Kind kind) const {
    const Point from = cracks_[first].from;
    const Point to = 2 * cracks_[last - 1].middle - cracks_[last - 1].from;
    const auto s = scatter(first, last);
    Point axis = kind == kAlong ? along_ : turned_left(along_);
    if (kind == kSlanted) {
        const double angle = std::atan2(2 * s.mixed(), s.from_across() - s.from_along()) / 2;
        axis = std::cos(angle) * along_ + std::sin(angle) * turned_left(along_);
    }
    if (dot(axis, to - from) < 0) axis = -1 * axis;
    Edge edge{{from, axis}, 0, from, false, kind == kSlanted ? -1 : static_cast<int>(kind)};
    edge.length = std::abs(dot(axis, to - from));
    edge.line.centre = from + middle_offset(first, last, edge.line) * turned_left(axis);
    return edge;
}

Stretch Stretch::from(std::size_t start) const {
    auto turned = *this;
    std::rotate(turned.cracks_.begin(), turned.cracks_.begin() + static_cast<std::ptrdiff_t>(start),
                turned.cracks_.end());
    turned.sum();
    return turned;
}

std::size_t Stretch::tip() const {
    Point centre;
    for (const auto& c : cracks_) centre = centre + (1.0 / static_cast<double>(size())) * c.from;
    const auto closer = [&](const Crack& a, const Crack& b) {
        return distance(a.from, centre) < distance(b.from, centre);
    };
    return static_cast<std::size_t>(std::max_element(cracks_.begin(), cracks_.end(), closer) -
                                    cracks_.begin());
}

}  // namespace civitas::vectorize
