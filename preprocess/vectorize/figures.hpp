#pragma once
/// The figures of a tile that a planner reads, and their table.
#include "plan.hpp"

#include <cstdint>
#include <string>

namespace civitas::vectorize {

struct TileFigures {
    std::int64_t tile = 0;       ///< row in the store
    double west = 0, south = 0;  ///< lower left corner, metres
    double metres = 250;         ///< side
    double building_share = 0, road_share = 0, other_share = 0;
    std::int64_t buildings = 0;
    double mean_building = 0, median_building = 0;  ///< square metres
    Detail detail = Detail::regular;
};

/// The shares of a plan, and its buildings' figures.
[[nodiscard]] TileFigures figures_of(const Plan& plan, double tile_metres);
/// Number, mean and median of some buildings, which become the tile's.
void set_buildings(TileFigures& tile, std::vector<double> areas);
/// The square of ground, corners in whole millimetres.
[[nodiscard]] OGRPolygon ground_of(const TileFigures& tile);

/// A table for a terminal: at most `rows` tiles, and the totals of all.
[[nodiscard]] std::string table_text(const std::vector<TileFigures>& tiles, std::size_t rows);
/// All tiles, comma separated, with a heading; the licence stands in each line.
[[nodiscard]] std::string table_csv(const std::vector<TileFigures>& tiles,
                                    const std::string& licence);

[[nodiscard]] const char* name_of(Detail detail);

}  // namespace civitas::vectorize
