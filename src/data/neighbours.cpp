#include "civitas/data/neighbours.hpp"

#include <cmath>

namespace civitas::data {
namespace {

std::int64_t millimetres(double metres) { return std::llround(metres * 1000); }

}  // namespace

std::vector<TilePlace> places_of(const TileStore& store, std::span<const TileIndex> rows) {
    std::vector<TilePlace> places;
    for (const TileIndex row : rows) {
        const TileRecord& record = store.records()[static_cast<std::size_t>(index(row))];
        places.push_back({index(row), record.easting, record.northing - store.header().tile_metres,
                          record.source});
    }
    return places;
}

Side opposite(Side side) {
    switch (side) {
        case Side::west: return Side::east;
        case Side::east: return Side::west;
        case Side::south: return Side::north;
        case Side::north: break;
    }
    return Side::south;
}

Neighbours::Neighbours(std::span<const TilePlace> tiles, double metres)
    : step_(millimetres(metres)) {
    for (const auto& t : tiles) {
        const Key key{t.source, millimetres(t.west), millimetres(t.south)};
        if (tile_at_.emplace(key, t.tile).second) place_of_.emplace(t.tile, key);
    }
}

std::optional<std::int64_t> Neighbours::of(std::int64_t tile, Side side) const {
    const auto place = place_of_.find(tile);
    if (place == place_of_.end()) return std::nullopt;
    auto [source, west, south] = place->second;
    if (side == Side::west || side == Side::east) {
        west += side == Side::west ? -step_ : step_;
    } else {
        south += side == Side::south ? -step_ : step_;
    }
    // Tiles whose side is no whole number of millimetres lie a millimetre off.
    for (const std::int64_t dx : {0, -1, 1}) {
        for (const std::int64_t dy : {0, -1, 1}) {
            const auto found = tile_at_.find({source, west + dx, south + dy});
            if (found != tile_at_.end()) return found->second;
        }
    }
    return std::nullopt;
}

}  // namespace civitas::data
