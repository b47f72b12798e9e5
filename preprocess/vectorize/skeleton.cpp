#include "skeleton.hpp"

#include <algorithm>
#include <utility>

namespace civitas::vectorize {
namespace {

quality::Mask mask_of(const ClassRaster& raster, std::uint8_t land_class) {
    quality::Mask mask(raster.side);
    for (std::int64_t y = 0; y < mask.pixels(); ++y)
        for (std::int64_t x = 0; x < mask.pixels(); ++x)
            mask.put({x, y}, raster.classes[mask.place({x, y})] == land_class);
    return mask;
}

}  // namespace

Skeleton::Skeleton(const TileInContext& tile, std::uint8_t land_class)
    : tile_(tile), whole_(mask_of(tile.wide, land_class)), thin_(quality::skeleton_of(whole_)) {}

std::vector<Pixel> Skeleton::pixels() const {
    std::vector<Pixel> all;
    thin_.each([&](Pixel p) {
        if (owned(without_margin(p))) all.push_back(without_margin(p));
    });
    return all;
}

std::vector<Pixel> Skeleton::neighbours(Pixel p) const {
    auto found = quality::joined_to(thin_, with_margin(p));
    for (Pixel& q : found) q = without_margin(q);
    return found;
}

double Skeleton::width(Pixel p) const {
    const Pixel here = with_margin(p);
    const auto foreign = [&](int dx, int dy) { return !whole_.at({here.x + dx, here.y + dy}); };
    auto nearest = static_cast<double>(whole_.pixels());
    for (int reach = 1; reach < nearest; ++reach) {
        for (int d = -reach; d <= reach; ++d) {
            for (const auto& [dx, dy] : {std::pair{d, -reach}, {d, reach}, {-reach, d}, {reach, d}})
                if (foreign(dx, dy)) nearest = std::min(nearest, std::hypot(dx, dy));
        }
    }
    // Between middles of pixels: one less than twice that where the line runs along the middle of
    // an odd number of pixels, twice that beside the middle of an even one.
    return std::max(1.0, 2 * nearest - 0.5);
}

}  // namespace civitas::vectorize
