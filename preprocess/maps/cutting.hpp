#pragma once
/// From shapes to tiles, shared by the ranks: each cuts a run of cells of the grid.
#include "civitas/comm/communicator.hpp"
#include "civitas/data/store_writer.hpp"
#include "preprocess/maps/grid.hpp"
#include "preprocess/maps/shapes.hpp"

#include <array>
#include <functional>
#include <vector>

namespace civitas::maps {

/// Cells in which something of the wanted classes may lie, ascending, the same on all ranks.
/// Collective.
[[nodiscard]] std::vector<std::int64_t> occupied_cells(const comm::Communicator& ranks,
                                                       const Grid& grid, const Shapes& mine,
                                                       const std::vector<data::LandClass>& wanted);

/// The shapes that touch a rank's own cells, and which.
struct LocalMap {
    std::vector<std::int64_t> cells;  ///< ascending
    Shapes shapes;
    std::vector<std::vector<std::int64_t>> touching;  ///< per cell: shapes, by number
};

/// Pass all ranks' shapes round; each keeps what touches its own cells. Collective; needs memory
/// for a rank's own share and some megabytes.
[[nodiscard]] LocalMap share_out(const comm::Communicator& ranks, const Grid& grid,
                                 const Shapes& mine, std::vector<std::int64_t> own_cells);

/// What was burned into all tiles cut, and what should have been, by LandClass. Whole numbers, so
/// that sums over ranks have no order.
struct Areas {
    std::array<std::int64_t, 3> pixels{};  ///< before buildings hide roads
    /// Square centimetres of the polygons within the same tiles; overlaps count twice.
    std::array<std::int64_t, 3> polygons{};
};

/// Share of a tile that may lie beyond the edge of the data.
inline constexpr double most_beyond_edge = 0.02;

struct Cover {
    double building = 0;
    double road = 0;
};

/// Tiles that passed.
struct Cuttings {
    std::vector<std::int64_t> cells;
    std::vector<data::TileRecord> records;  ///< split not yet decided
    std::vector<data::PackedTile> tiles;    ///< a map's tiles are too many to be held unpacked
    Areas areas;
    std::int64_t too_few_buildings = 0, too_few_roads = 0;
    std::int64_t cut_by_edge = 0;  ///< of enough cover, but not wholly known
    Cover most;                    ///< the highest covers met
};

/// What a tile must have to be kept.
struct Demand {
    Cover least;
    bool within_edge = false;  ///< all but a little of it is covered by shapes of any class
};

/// Burn the tiles of a local map, roads before buildings, and keep those that meet the demand.
[[nodiscard]] Cuttings cut_tiles(const Grid& grid, std::int64_t pixels, const LocalMap& map,
                                 const Demand& demand,
                                 const std::function<void(std::int64_t)>& done);

}  // namespace civitas::maps
