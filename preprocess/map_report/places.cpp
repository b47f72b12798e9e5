#include "places.hpp"

#include <algorithm>

namespace civitas::map_report {
namespace {

Range hull(Range a, Range b) {
    const auto begin = std::min(a.begin, b.begin);
    return {begin, std::max(a.end(), b.end()) - begin};
}

bool touch(Range a, Range b) { return a.begin <= b.end() && b.begin <= a.end(); }

void absorb(Place& place, const Place& other) {
    place.sources.insert(place.sources.end(), other.sources.begin(), other.sources.end());
    place.columns = hull(place.columns, other.columns);
    place.rows = hull(place.rows, other.rows);
    place.tiles += other.tiles;
}

/// Adds a place, with all those that it touches as one: as it grows it may touch more.
void add(std::vector<Place>& places, Place place) {
    const auto touched = [&](const Place& other) {
        return touch(place.columns, other.columns) && touch(place.rows, other.rows);
    };
    for (auto at = std::find_if(places.begin(), places.end(), touched); at != places.end();
         at = std::find_if(places.begin(), places.end(), touched)) {
        absorb(place, *at);
        places.erase(at);
    }
    std::sort(place.sources.begin(), place.sources.end());
    places.push_back(std::move(place));
}

}  // namespace

std::vector<Place> places_of(const Ground& ground) {
    std::map<std::uint16_t, Place> by_source;
    for (std::size_t i = 0; i < ground.tiles.size(); ++i) {
        const auto source = ground.tiles[i].source;
        const Place tile{{source},
                         {ground.cells[i] % ground.columns.count, 1},
                         {ground.cells[i] / ground.columns.count, 1},
                         1};
        const auto [known, is_first] = by_source.try_emplace(source, tile);
        if (is_first) continue;
        known->second.columns = hull(known->second.columns, tile.columns);
        known->second.rows = hull(known->second.rows, tile.rows);
        ++known->second.tiles;
    }
    std::vector<Place> places;
    for (auto& [source, place] : by_source) add(places, std::move(place));
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.sources.front() < b.sources.front(); });
    return places;
}

}  // namespace civitas::map_report
