#pragma once
/// Which tiles of a store lie side by side.
#include "civitas/data/tile_store.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace civitas::data {

enum class Side : std::uint8_t { west, east, south, north };
inline constexpr std::array<Side, 4> sides{Side::west, Side::east, Side::south, Side::north};
[[nodiscard]] Side opposite(Side side);

/// Where a tile lies, and what map it was cut out of.
struct TilePlace {
    std::int64_t tile = 0;
    double west = 0, south = 0;
    int source = 0;
};

/// The places of rows of a store, in their order.
[[nodiscard]] std::vector<TilePlace> places_of(const TileStore& store,
                                               std::span<const TileIndex> rows);

/// Tiles of one map that touch along a whole side.
class Neighbours {
public:
    /// Apart: as if no two touched.
    Neighbours() = default;
    Neighbours(std::span<const TilePlace> tiles, double metres);
    [[nodiscard]] std::optional<std::int64_t> of(std::int64_t tile, Side side) const;

private:
    using Key = std::tuple<int, std::int64_t, std::int64_t>;  // source, millimetres
    std::map<Key, std::int64_t> tile_at_;
    std::map<std::int64_t, Key> place_of_;
    std::int64_t step_ = 0;
};

}  // namespace civitas::data
