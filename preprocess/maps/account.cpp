#include "account.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::maps {

std::string name_of(Fate fate, const Settings& settings, const std::string& edge) {
    switch (fate) {
        case Fate::training: return "tiles to train";
        case Fate::test: return "tiles to test";
        case Fate::few_buildings:
            return text("tiles of less than ", settings.min_building, " buildings");
        case Fate::few_roads:
            return text("tiles of enough buildings, of less than ", settings.min_road, " roads");
        case Fate::cut_by_edge: return text("tiles cut by the edge of the data (", edge, ")");
        case Fate::flat: return "tiles below the variance quantile";
        case Fate::across: return "tiles across train and test ground";
    }
    return "";
}

map_report::Ground ground_of(const Settings& settings, const Grid& grid,
                             std::vector<std::int64_t> cells,
                             std::vector<map_report::LookedAt> tiles, const Chosen& chosen,
                             const std::string& edge) {
    ensure(cells.size() == tiles.size(), "every cell is looked at once");
    map_report::Ground ground{.tile_metres = grid.size().metres,
                              .stride_metres = grid.size().stride,
                              .columns = grid.block().columns,
                              .rows = grid.block().rows,
                              .cells = std::move(cells),
                              .tiles = std::move(tiles),
                              .names = {},
                              .never_looked_at = without_features,
                              .least_building = settings.min_building,
                              .least_road = settings.min_road};
    for (std::size_t fate = 0; fate < ground.names.size(); ++fate)
        ground.names[fate] = name_of(static_cast<Fate>(fate), settings, edge);
    const auto decide = [&](std::int64_t cell, Fate fate) {
        const auto at = std::lower_bound(ground.cells.begin(), ground.cells.end(), cell);
        ground.tiles.at(static_cast<std::size_t>(at - ground.cells.begin())).fate = fate;
    };
    for (const auto cell : chosen.flat) decide(cell, Fate::flat);
    for (const auto cell : chosen.across) decide(cell, Fate::across);
    for (std::size_t i = 0; i < chosen.cells.size(); ++i)
        decide(chosen.cells[i],
               chosen.splits[i] == data::Split::test ? Fate::test : Fate::training);
    return ground;
}

}  // namespace civitas::maps
