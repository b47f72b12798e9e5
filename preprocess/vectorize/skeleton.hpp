#pragma once
/// The middle lines of what has one class, a pixel wide.
#include "civitas/quality/skeleton.hpp"
#include "raster.hpp"

namespace civitas::vectorize {

using quality::Pixel;

/// What is left of one class by thinning (quality/skeleton.hpp). The raster goes on beyond its
/// border as it ends there, so that lines lead over the border and do not stop short of it. Pixels
/// are counted from the raster's upper left one.
class Skeleton {
public:
    Skeleton(const ClassRaster& raster, std::uint8_t land_class);

    [[nodiscard]] int side() const noexcept { return side_; }
    /// All its pixels, row by row, those beyond the border among them.
    [[nodiscard]] std::vector<Pixel> pixels() const;
    [[nodiscard]] bool inside(Pixel p) const {
        return p.x >= 0 && p.y >= 0 && p.x < side_ && p.y < side_;
    }
    /// Those that it joins to p.
    [[nodiscard]] std::vector<Pixel> neighbours(Pixel p) const;
    /// Width in pixels of what was thinned, at one of its pixels.
    [[nodiscard]] double width(Pixel p) const;

private:
    int side_;
    quality::Mask whole_, thin_;  ///< with the margin
};

}  // namespace civitas::vectorize
