#pragma once
/// What plans are asked to be like: as the tiles of a store say, and as a checkpoint keeps it.
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/conditions/conditions.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/planner/options.hpp"

#include <map>
#include <string>
#include <vector>

namespace civitas::runs {

/// What each tile of a store is like, by its row: what plans are asked to be.
[[nodiscard]] std::vector<conditions::Wish> wishes_of_tiles(ConditionKind kind,
                                                            const data::TileStore& store);
/// The conditions of a kind by the training tiles of a store. Throws UsageError, with a hint, for
/// sources that are fewer than two or too many, have no training tile, or too long names.
[[nodiscard]] conditions::Conditions conditions_of(ConditionKind kind,
                                                   const data::TileStore& store);

/// What a run must go on with (the kind is a fact of its problem), and what generation needs
/// beside: a bounded sample of the training tiles, or the names of the sources.
[[nodiscard]] std::map<std::string, std::string> facts_of(const conditions::Conditions& conditions);
[[nodiscard]] std::map<std::string, std::string> notes_of(const conditions::Conditions& conditions);
/// The same back. Throws Error for what describes none.
[[nodiscard]] conditions::Conditions conditions_in(const planner::Problem& problem,
                                                   const checkpoint::Header& header);

}  // namespace civitas::runs
