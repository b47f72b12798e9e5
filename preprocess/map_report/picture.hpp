#pragma once
/// The grid of tiles as a map, north up.
#include "places.hpp"

namespace civitas::map_report {

/// The tiles of a place in the colours of their fates, with coordinates in kilometres and a scale
/// bar. Tiles of a row that are alike are drawn as one; where a place has more than `most_squares`
/// cells, a square stands for some of them, in the colour of most that were looked at. Of tiles
/// that overlap or leave gaps the stride around their middle is drawn.
[[nodiscard]] std::string picture_of(const Ground& ground, const Place& place,
                                     std::int64_t most_squares);

/// The fates that occur, in their colours, with how many tiles each has: over all places.
[[nodiscard]] std::string legend_of(const Ground& ground);

}  // namespace civitas::map_report
