#include "civitas/quality/mask.hpp"

#include "neighbours.hpp"

#include <algorithm>
#include <numeric>

namespace civitas::quality {

Mask::Mask(const ClassMap& map, LandClass land_class) : Mask(map.pixels) {
    std::transform(map.classes.begin(), map.classes.end(), set_.begin(),
                   [=](LandClass c) { return static_cast<std::uint8_t>(c == land_class ? 1 : 0); });
}

std::int64_t Mask::area() const noexcept {
    return std::accumulate(set_.begin(), set_.end(), std::int64_t{0});
}

Mask Mask::inverted() const {
    Mask other(pixels_);
    std::transform(set_.begin(), set_.end(), other.set_.begin(),
                   [](std::uint8_t set) { return static_cast<std::uint8_t>(1 - set); });
    return other;
}

Sides sides_of(const Mask& mask) {
    Sides sides;
    mask.each([&](Pixel p) {
        for (const Pixel q : four_neighbours(p))
            if (!mask.at(q)) ++(mask.holds(q) ? sides.inner : sides.border);
    });
    return sides;
}

}  // namespace civitas::quality
