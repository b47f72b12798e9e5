#pragma once
/// What a report tells of the tiles that were looked at.
#include "plan.hpp"
#include "preprocess/map_report/account.hpp"
#include "selection.hpp"

namespace civitas::maps {

using map_report::Fate;

/// Of cells that nothing was looked for in.
inline constexpr const char* without_features = "tiles with none of the wanted features";

/// What tiles of a fate are called; `edge` is what the edge of the data is taken to be.
[[nodiscard]] std::string name_of(Fate fate, const Settings& settings,
                                  const std::string& edge = "");

/// The ground of the cells looked at, ascending, what was found on each of them, and what was
/// decided over all together of those that passed. Pure.
[[nodiscard]] map_report::Ground ground_of(const Settings& settings, const Grid& grid,
                                           std::vector<std::int64_t> cells,
                                           std::vector<map_report::LookedAt> tiles,
                                           const Chosen& chosen, const std::string& edge);

}  // namespace civitas::maps
