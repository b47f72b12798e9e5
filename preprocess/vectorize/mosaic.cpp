#include "mosaic.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace civitas::vectorize {
namespace {

// Pixels, a tile's side at most. Beyond a border they hold what decides about the middle line of a
// road as wide as that; where nothing is known, about half of the width of any street does.
constexpr int kMarginBesideTiles = 64, kMarginAlone = 23;

std::size_t bytes_of_tile(int side) {
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
}

int least_pixels(const data::StoreHeader& header, double minimum_area) {
    const double pixel = header.tile_metres / static_cast<double>(header.pixels);
    constexpr double most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(std::ceil(minimum_area / (pixel * pixel)), most));
}

}  // namespace

Mosaic::Mosaic(const data::TileStore& store, Neighbours neighbours, double minimum_area)
    : store_(store),
      neighbours_(std::move(neighbours)),
      side_(static_cast<int>(store.header().pixels)),
      least_(least_pixels(store.header(), minimum_area)),
      read_(bytes_of_tile(side_), {.tiles = 5}),
      sieved_(bytes_of_tile(side_), {.tiles = Around{}.size()}) {}

const ClassRaster& Mosaic::pixels(std::int64_t tile) {
    return read_.get(tile, [&] {
        std::vector<std::uint8_t> read(bytes_of_tile(side_));
        store_.read(TileIndex{tile}, read);
        try {
            return make_raster(side_, read);
        } catch (const Error& error) {
            throw Error(text("tile ", tile, " of ", store_.file().string(), ": ", error.what()));
        }
    });
}

const ClassRaster& Mosaic::sieved(std::int64_t tile) {
    return sieved_.get(tile, [&] {
        return vectorize::sieved(pixels(tile), least_, [&](int least, int pixel) {
            return has_building_of(least, tile, pixel);
        });
    });
}

Mosaic::Around Mosaic::tiles_around(std::int64_t tile) {
    const auto beside = [&](std::optional<std::int64_t> from, Side side) {
        return from ? neighbours_.of(*from, side) : std::nullopt;
    };
    Around around{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const auto along = [&](std::optional<std::int64_t> from) {
                if (column == 1) return from;
                return beside(from, column == 0 ? Side::west : Side::east);
            };
            const auto across = [&](std::optional<std::int64_t> from) {
                if (row == 1) return from;
                return beside(from, row == 0 ? Side::north : Side::south);
            };
            auto found = along(across(tile));
            if (!found) found = across(along(tile));
            if (found) around[3 * row + column] = &sieved(*found);
        }
    }
    return around;
}

TileInContext Mosaic::clean(std::int64_t tile) {
    const auto tiles = tiles_around(tile);
    TilesAround around{{}, side_};
    const auto is_there = [](const ClassRaster* other) { return other != nullptr; };
    std::transform(tiles.begin(), tiles.end(), around.there.begin(), is_there);
    const bool alone = std::count_if(tiles.begin(), tiles.end(), is_there) == 1;
    const int margin = std::min(side_, alone ? kMarginAlone : kMarginBesideTiles);
    return in_context(around, margin, [&](PlaceInTile p) {
        const auto x = static_cast<std::size_t>((p.column + side_) % side_);
        const auto y = static_cast<std::size_t>((p.row + side_) % side_);
        return tiles[around.tile_of(p)]->classes[y * static_cast<std::size_t>(side_) + x];
    });
}

std::optional<Mosaic::Place> Mosaic::beside(Place place, Side side) const {
    const int column = place.pixel % side_, row = place.pixel / side_, end = side_ - 1;
    const auto from = [&](bool inside, int step, int over) -> std::optional<Place> {
        if (inside) return Place{place.tile, place.pixel + step};
        const auto other = neighbours_.of(place.tile, side);
        if (!other) return std::nullopt;
        return Place{*other, place.pixel + over};
    };
    switch (side) {
        case Side::west: return from(column > 0, -1, end);
        case Side::east: return from(column < end, 1, -end);
        case Side::north: return from(row > 0, -side_, end * side_);
        case Side::south: break;
    }
    return from(row < end, side_, -end * side_);
}

bool Mosaic::has_building_of(int least, std::int64_t tile, int pixel) {
    std::set<Place> known{{tile, pixel}};
    std::vector<Place> open{{tile, pixel}};
    while (!open.empty() && std::ssize(known) < least) {
        const auto here = open.back();
        open.pop_back();
        for (const Side side : data::sides) {
            const auto next = beside(here, side);
            if (!next || known.contains(*next)) continue;
            if (pixels(next->tile).classes[static_cast<std::size_t>(next->pixel)] != kBuilding)
                continue;
            known.insert(*next);
            open.push_back(*next);
        }
    }
    return std::ssize(known) >= least;
}

}  // namespace civitas::vectorize
