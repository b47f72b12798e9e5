#pragma once
/// Where polygons of tiles that lie side by side run along the border between them.
#include "civitas/data/neighbours.hpp"
#include "ogr.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace civitas::vectorize {

using data::Neighbours;
using data::Side;

/// Of a border, metres from and to along it.
using Stretches = std::vector<std::pair<double, double>>;
/// By side.
using Borders = std::array<Stretches, data::sides.size()>;

constexpr std::size_t at(Side side) { return static_cast<std::size_t>(side); }

/// Where the outer ring of a polygon lies on the borders of its tile.
[[nodiscard]] Borders borders_of(const OGRPolygon& polygon, const OGREnvelope& tile);

/// Metres that two polygons on both sides of a border have in common.
[[nodiscard]] double common(const Stretches& a, const Stretches& b);

/// What pieces in several tiles are together, of which `tile` has the largest: a `what`. Throws
/// Error where GEOS cannot join them.
[[nodiscard]] Polygons joined_over_borders(std::string_view what, const Polygons& pieces,
                                           std::int64_t tile);

}  // namespace civitas::vectorize
