#pragma once
/// A tile as pixels: cleaning it, and the regions it consists of.
#include "geometry.hpp"

#include <array>
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

/// A pixel by column and row from a tile's north-western one, beyond its borders too.
struct PlaceInTile {
    int column = 0, row = 0;
};

/// Which of the tiles around one there are, row by row from the north-west, itself in the middle.
struct TilesAround {
    std::array<bool, 9> there{false, false, false, false, true};
    int side = 0;  ///< of each, in pixels

    /// In which of the nine a pixel is that is no farther away than their side.
    [[nodiscard]] std::size_t tile_of(PlaceInTile p) const;
    /// The pixel itself where there is a tile, else the nearest one in the nearest tile, of those
    /// as near the first: as if a tile without a neighbour went on as it reaches its border. Tiles
    /// side by side agree about what lies around their border.
    [[nodiscard]] PlaceInTile nearest(PlaceInTile p) const;
};

/// A tile in the middle of what lies around it.
struct TileInContext {
    ClassRaster wide;
    int margin = 0;  ///< pixels of `wide` on each side of the tile
    TilesAround around;

    [[nodiscard]] int side() const { return wide.side - 2 * margin; }
    [[nodiscard]] ClassRaster tile() const;
    /// Whether a pixel is the tile's, or is thought of as what it goes on with.
    [[nodiscard]] bool owns(PlaceInTile p) const;
};

/// `class_at(PlaceInTile)` tells the class of pixels where there is a tile.
template <class ClassAt>
[[nodiscard]] TileInContext in_context(const TilesAround& around, int margin, ClassAt class_at) {
    TileInContext all{{around.side + 2 * margin, {}}, margin, around};
    for (int row = -margin; row < around.side + margin; ++row) {
        for (int column = -margin; column < around.side + margin; ++column)
            all.wide.classes.push_back(class_at(around.nearest({column, row})));
    }
    return all;
}

struct Region {
    std::uint8_t land_class = kOther;
    Shape shape;  ///< along the pixels' edges
};

/// The 4-connected regions of a raster; together they fill it.
[[nodiscard]] std::vector<Region> regions(const ClassRaster& raster);

}  // namespace civitas::vectorize
