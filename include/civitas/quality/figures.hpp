#pragma once
/// Figures of a plan that planners, landscape ecologists and morphologists know.
/// src/quality/README.md defines each.
#include "civitas/quality/class_map.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace civitas::quality {

/// A figure and its values: one of each tile, or of each building or block in it. A tile in which
/// it is not defined (the shape of buildings where there is none) has no value.
struct Figure {
    std::string_view key;   ///< in files: `building_area`
    std::string_view name;  ///< for people
    std::string_view unit;  ///< empty: a plain number
    std::vector<double> values;
};

struct FigureGroup {
    std::string_view title;
    std::vector<Figure> figures;
};

/// All figures of one tile. Every tile has the same groups and figures in the same order. Throws
/// Error for a tile of fewer than 16 pixels.
[[nodiscard]] std::vector<FigureGroup> figures_of(const ClassMap& map);

/// The figures of a set of tiles.
struct SetFigures {
    std::vector<FigureGroup> groups;           ///< with the values of all tiles, in their order
    std::vector<std::vector<double>> by_tile;  ///< means [tile][figure]; NaN where not defined
};
/// Precondition: there is a tile.
[[nodiscard]] SetFigures figures_of(std::span<const ClassMap> maps);

}  // namespace civitas::quality
