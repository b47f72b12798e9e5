#include "mosaic.hpp"

#include <algorithm>
#include <set>

namespace civitas::vectorize {
namespace {

std::size_t most_held(int side) {
    constexpr std::int64_t most_bytes = std::int64_t{16} << 20;
    return static_cast<std::size_t>(
        std::max<std::int64_t>(5, most_bytes / (std::int64_t{side} * side)));
}

}  // namespace

Mosaic::Mosaic(const data::TileStore& store, Neighbours neighbours)
    : store_(store),
      neighbours_(std::move(neighbours)),
      side_(static_cast<int>(store.header().pixels)) {}

const std::vector<std::uint8_t>& Mosaic::pixels(std::int64_t tile) {
    if (const auto found = held_.find(tile); found != held_.end()) return found->second;
    std::vector<std::uint8_t> read(static_cast<std::size_t>(side_) *
                                   static_cast<std::size_t>(side_));
    store_.read(TileIndex{tile}, read);
    if (order_.size() == most_held(side_)) {
        held_.erase(order_.front());
        order_.pop_front();
    }
    order_.push_back(tile);
    return held_.emplace(tile, std::move(read)).first->second;
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
            if (pixels(next->tile)[static_cast<std::size_t>(next->pixel)] != kBuilding) continue;
            known.insert(*next);
            open.push_back(*next);
        }
    }
    return std::ssize(known) >= least;
}

}  // namespace civitas::vectorize
