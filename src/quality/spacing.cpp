#include "spacing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace civitas::quality {
namespace {

/// Which component each pixel of a tile is of, by 1 + its number.
class Owners {
public:
    Owners(const Components& components, std::int64_t pixels) : places_(pixels) {
        owners_.resize(static_cast<std::size_t>(pixels * pixels));
        for (std::size_t i = 0; i < components.size(); ++i)
            for (const Pixel p : components[i]) owners_[places_.place(p)] = i + 1;
    }
    /// The pixel belongs to another component than this one.
    [[nodiscard]] bool other(Pixel p, std::size_t component) const {
        if (!places_.holds(p)) return false;
        const std::size_t owner = owners_[places_.place(p)];
        return owner != 0 && owner != component + 1;
    }
    [[nodiscard]] std::int64_t pixels() const { return places_.pixels(); }

private:
    Mask places_;
    std::vector<std::size_t> owners_;
};

std::int64_t gap(std::int64_t steps) { return std::max<std::int64_t>(0, std::abs(steps) - 1); }

/// Looks at square rings around a pixel until none further away can be nearer than `least`, a
/// squared distance.
std::int64_t nearest_squared(const Owners& owners, std::size_t component, Pixel p,
                             std::int64_t least) {
    const auto look = [&](std::int64_t dx, std::int64_t dy) {
        const std::int64_t squared = gap(dx) * gap(dx) + gap(dy) * gap(dy);
        if (squared < least && owners.other({p.x + dx, p.y + dy}, component)) least = squared;
    };
    for (std::int64_t ring = 1; ring < owners.pixels() && gap(ring) * gap(ring) < least; ++ring)
        for (std::int64_t along = -ring; along <= ring; ++along) {
            look(along, -ring);
            look(along, ring);
            look(-ring, along);
            look(ring, along);
        }
    return least;
}

}  // namespace

std::vector<double> spacing_of(const Components& components, std::int64_t pixels) {
    if (components.size() < 2) return {};
    const Owners owners(components, pixels);
    std::vector<double> distances;
    for (std::size_t i = 0; i < components.size(); ++i) {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const Pixel p : components[i]) least = nearest_squared(owners, i, p, least);
        distances.push_back(std::sqrt(static_cast<double>(least)));
    }
    return distances;
}

}  // namespace civitas::quality
