#include "civitas/quality/figures.hpp"

#include "groups.hpp"
#include "mean.hpp"

#include "civitas/base/error.hpp"

namespace civitas::quality {
namespace {

void append(std::vector<FigureGroup>& all, const std::vector<FigureGroup>& tile) {
    for (std::size_t g = 0; g < all.size(); ++g)
        for (std::size_t f = 0; f < all[g].figures.size(); ++f) {
            const auto& from = tile[g].figures[f].values;
            auto& to = all[g].figures[f].values;
            to.insert(to.end(), from.begin(), from.end());
        }
}

}  // namespace

std::vector<FigureGroup> figures_of(const ClassMap& map) {
    ensure(map.classes.size() == static_cast<std::size_t>(map.pixels * map.pixels),
           "a map has pixels x pixels classes");
    if (map.pixels < 16)
        throw Error(text("a tile of ", map.pixels, " pixels a side has too few for figures"),
                    Hint{"at least 16"});
    return {building_patch_figures(map), road_patch_figures(map), building_figures(map),
            road_figures(map),           block_figures(map),      texture_figures(map)};
}

SetFigures figures_of(std::span<const ClassMap> maps) {
    SetFigures set;
    for (const ClassMap& map : maps) {
        const auto tile = figures_of(map);
        auto& means = set.by_tile.emplace_back();
        for (const FigureGroup& group : tile)
            for (const Figure& figure : group.figures) means.push_back(mean_of(figure.values));
        if (set.groups.empty())
            set.groups = tile;
        else
            append(set.groups, tile);
    }
    return set;
}

}  // namespace civitas::quality
