#pragma once
/// A tile as pixels: cleaning it, and the regions it consists of.
#include "geometry.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace civitas::vectorize {

/// Values of a pixel, as in LandClass, and what lies beyond the tile.
inline constexpr std::uint8_t kOther = 0, kRoad = 1, kBuilding = 2, kOutside = 255;

/// A square of classes, row by row from the north-west.
struct ClassRaster {
    int side = 0;
    std::vector<std::uint8_t> classes;

    /// Class of the pixel that holds the point; kOutside beyond the tile.
    [[nodiscard]] std::uint8_t at(Point p) const;
    /// Share of the pixels with this class.
    [[nodiscard]] double share(std::uint8_t land_class) const;
};

/// Throws Error unless there are side^2 values, all of them known classes.
[[nodiscard]] ClassRaster make_raster(int side, std::span<const std::uint8_t> classes);

/// True if a building that a pixel of the raster's border belongs to has at least `least` pixels,
/// counting those that lie beyond the border.
using LargeWithRest = std::function<bool(int least, int pixel)>;

/// Regions (4-connected) of fewer pixels than `least` become part of what they border on most:
/// buildings first, then roads, then open ground. Two buildings never become one, so a gap between
/// two that is open to nothing else stays. So do buildings at the border that are `large` with what
/// lies beyond.
[[nodiscard]] ClassRaster sieved(ClassRaster raster, int least, const LargeWithRest& large = {});

struct Region {
    std::uint8_t land_class = kOther;
    Shape shape;  ///< along the pixels' edges
};

/// The 4-connected regions of a raster; together they fill it.
[[nodiscard]] std::vector<Region> regions(const ClassRaster& raster);

}  // namespace civitas::vectorize
