#pragma once
/// Image quilting (Efros and Freeman, SIGGRAPH 2001): a picture larger than any image at hand, made
/// of overlapping patches, each an image that fits those already there, cut along the line where
/// both differ least.
#include <cstdint>
#include <functional>
#include <vector>

namespace civitas::quilt {

/// Square images of bytes, planar, one after the other.
struct Images {
    std::int64_t count = 0;
    std::int64_t channels = 0;
    std::int64_t side = 0;  ///< pixels
    std::vector<std::uint8_t> values_BCHW;
};

/// One picture of bytes, planar.
struct Picture {
    std::int64_t channels = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::vector<std::uint8_t> values_CHW;
};

/// So many across and down.
struct GridSize {
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    [[nodiscard]] std::int64_t count() const noexcept { return columns * rows; }
};

/// Where patches lie in a picture of `tiles` squares, each as large as an image. The last ones
/// reach beyond it.
struct Layout {
    GridSize tiles;
    std::int64_t side = 0;     ///< pixels of a tile and of a patch
    std::int64_t overlap = 0;  ///< pixels that patches share with the one before: 1 to side / 2

    /// Pixels from one patch to the next.
    [[nodiscard]] std::int64_t step() const noexcept { return side - overlap; }
    /// The fewest patches that cover the tiles.
    [[nodiscard]] GridSize patches() const noexcept;
};

/// Patches that a layout has laid.
struct Quilt {
    Picture picture;
    /// Which image each patch is, row by row.
    std::vector<std::int64_t> images;
    /// Mean squared difference per value where patches overlap: how well they fit.
    double overlap_error = 0;
};

/// Called after each patch.
using Advance = std::function<void()>;

/// Row by row from the north-west. The first patch is the first image as it is; each other one is
/// the image, not yet used and in any of the 8 symmetries of the square, that differs least where
/// it overlaps: by the sum of squares beside the variation of both, of equal ones the first. The
/// same images give the same picture everywhere. Precondition: as many images as patches.
[[nodiscard]] Quilt quilt(const Images& images, const Layout& layout, const Advance& advance);

}  // namespace civitas::quilt
