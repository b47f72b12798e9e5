#pragma once
/// The pixels of tiles that lie side by side, as one picture.
#include "civitas/data/tile_store.hpp"
#include "joining.hpp"

#include <deque>
#include <map>
#include <vector>

namespace civitas::vectorize {

/// Reads tiles when they are asked for, and holds some 16 MiB of them.
class Mosaic {
public:
    /// `store` outlives the mosaic.
    Mosaic(const data::TileStore& store, Neighbours neighbours);

    /// Classes row by row from the north-west; they stay until the next call of any kind. Throws
    /// Error for a tile that cannot be read.
    [[nodiscard]] const std::vector<std::uint8_t>& pixels(std::int64_t tile);

    /// True if the building that a pixel of a tile lies in has at least `least` pixels, those in
    /// other tiles included. Looks no farther than it needs to.
    [[nodiscard]] bool has_building_of(int least, std::int64_t tile, int pixel);

private:
    struct Place {
        std::int64_t tile = 0;
        int pixel = 0;
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    [[nodiscard]] std::optional<Place> beside(Place place, Side side) const;

    const data::TileStore& store_;
    Neighbours neighbours_;
    int side_;
    std::map<std::int64_t, std::vector<std::uint8_t>> held_;
    std::deque<std::int64_t> order_;  ///< in which the tiles held were read
};

}  // namespace civitas::vectorize
