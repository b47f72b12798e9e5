#pragma once
/// The middle lines of what has one class, a pixel wide.
#include "raster.hpp"

namespace civitas::vectorize {

/// A pixel of a raster, counted from the upper left one; outside of it where a margin goes on.
struct Pixel {
    int column = 0, row = 0;
    friend auto operator<=>(const Pixel&, const Pixel&) = default;
};

/// What is left of one class by thinning: Z. Guo and R. W. Hall, "Parallel thinning with
/// two-subiteration algorithms" (Communications of the ACM 32, 1989). Pixels that hung together,
/// over corners too, still do. The raster goes on beyond its border as it ends there, so that lines
/// lead over the border and do not stop short of it.
class Skeleton {
public:
    Skeleton(const ClassRaster& raster, std::uint8_t land_class);

    [[nodiscard]] int side() const noexcept { return side_; }
    /// All its pixels, row by row, those beyond the border among them.
    [[nodiscard]] std::vector<Pixel> pixels() const;
    [[nodiscard]] bool inside(Pixel p) const {
        return p.column >= 0 && p.row >= 0 && p.column < side_ && p.row < side_;
    }
    /// Those that it joins to p: over an edge, and over a corner where no third joins both.
    [[nodiscard]] std::vector<Pixel> neighbours(Pixel p) const;
    /// Width in pixels of what was thinned, at one of its pixels.
    [[nodiscard]] double width(Pixel p) const;

private:
    [[nodiscard]] bool has(Pixel p) const { return thin_[at(p)] != 0; }
    [[nodiscard]] std::size_t at(Pixel p) const {
        return static_cast<std::size_t>(p.row + margin_) * static_cast<std::size_t>(stride_) +
               static_cast<std::size_t>(p.column + margin_);
    }
    bool peel(int round);

    int side_, margin_, stride_;
    std::vector<std::uint8_t> whole_, thin_;  ///< with the margin, 1 for the class
};

}  // namespace civitas::vectorize
