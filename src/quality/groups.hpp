#pragma once
/// The groups of figures of a tile, each in a file of its own.
#include "civitas/quality/figures.hpp"

namespace civitas::quality {

/// Indices of the patches of a class: `buildings` or roads.
[[nodiscard]] FigureGroup building_patch_figures(const ClassMap& map);
[[nodiscard]] FigureGroup road_patch_figures(const ClassMap& map);
[[nodiscard]] FigureGroup building_figures(const ClassMap& map);
[[nodiscard]] FigureGroup road_figures(const ClassMap& map);
[[nodiscard]] FigureGroup block_figures(const ClassMap& map);
[[nodiscard]] FigureGroup texture_figures(const ClassMap& map);

}  // namespace civitas::quality
