#pragma once
/// The pixels of tiles that lie side by side, as one picture.
#include "civitas/data/tile_store.hpp"
#include "held_tiles.hpp"
#include "joining.hpp"

namespace civitas::vectorize {

/// Reads tiles when they are asked for. Throws Error for a tile that cannot be read.
class Mosaic {
public:
    /// `store` outlives the mosaic. Square metres: pieces smaller than that go to their neighbours.
    Mosaic(const data::TileStore& store, Neighbours neighbours, double minimum_area);

    /// A tile, sieved(), as are those that lie around it. Roads without a tile beyond the border go
    /// on as they reach it. A building at the border may be small if it is large with what lies
    /// beyond.
    [[nodiscard]] TileInContext clean(std::int64_t tile);

private:
    struct Place {
        std::int64_t tile = 0;
        int pixel = 0;
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    /// A tile and those around it, row by row from the north-west; null where there is none.
    using Around = std::array<const ClassRaster*, 9>;
    [[nodiscard]] Around tiles_around(std::int64_t tile);
    [[nodiscard]] std::optional<Place> beside(Place place, Side side) const;
    [[nodiscard]] const ClassRaster& pixels(std::int64_t tile);
    [[nodiscard]] const ClassRaster& sieved(std::int64_t tile);
    /// True if the building that a pixel of a tile lies in has at least `least` pixels, those in
    /// other tiles included. Looks no farther than it needs to.
    [[nodiscard]] bool has_building_of(int least, std::int64_t tile, int pixel);

    const data::TileStore& store_;
    Neighbours neighbours_;
    int side_, least_;  ///< pixels
    HeldTiles read_, sieved_;
};

}  // namespace civitas::vectorize
