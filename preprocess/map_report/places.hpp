#pragma once
/// Where on the grid the tiles of each source lie: maps far from each other are drawn apart.
#include "account.hpp"

namespace civitas::map_report {

/// Ground on which the tiles of some sources lie.
struct Place {
    std::vector<std::uint16_t> sources;  ///< ascending
    Range columns, rows;                 ///< of the grid, counted from its upper left cell
    std::int64_t tiles = 0;              ///< looked at
};

/// Sources whose tiles lie on common or neighbouring ground share a place; places by their first
/// source.
[[nodiscard]] std::vector<Place> places_of(const Ground& ground);

}  // namespace civitas::map_report
