#pragma once
/// The middle lines of what has one class, a pixel wide.
#include "civitas/quality/skeleton.hpp"
#include "raster.hpp"

namespace civitas::vectorize {

using quality::Pixel;

/// What is left of one class by thinning (quality/skeleton.hpp), of a tile and of what lies around
/// it, so that lines lead over its borders. How a road of width 2 h is thinned, the pixels within
/// 2 h of its middle decide; where the margin has these, the skeletons of two tiles side by side
/// are the same along their border. Pixels are counted from the tile's upper left one.
class Skeleton {
public:
    /// The tile outlives the skeleton.
    Skeleton(const TileInContext& tile, std::uint8_t land_class);

    [[nodiscard]] int side() const { return tile_.side(); }
    /// Its pixels that the tile owns, row by row, those beyond a border without a tile among them.
    [[nodiscard]] std::vector<Pixel> pixels() const;
    [[nodiscard]] bool inside(Pixel p) const {
        return p.x >= 0 && p.y >= 0 && p.x < side() && p.y < side();
    }
    /// See TileInContext::owns().
    [[nodiscard]] bool owned(Pixel p) const {
        return tile_.owns({static_cast<int>(p.x), static_cast<int>(p.y)});
    }
    /// Those that it joins to p, those of other tiles among them.
    [[nodiscard]] std::vector<Pixel> neighbours(Pixel p) const;
    /// Width in pixels of what was thinned, at one of its pixels.
    [[nodiscard]] double width(Pixel p) const;

private:
    const TileInContext& tile_;
    quality::Mask whole_, thin_;  ///< with the margin

    [[nodiscard]] Pixel with_margin(Pixel p) const {
        return {p.x + tile_.margin, p.y + tile_.margin};
    }
    [[nodiscard]] Pixel without_margin(Pixel p) const {
        return {p.x - tile_.margin, p.y - tile_.margin};
    }
};

}  // namespace civitas::vectorize
