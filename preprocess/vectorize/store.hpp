#pragma once
/// What a tile store says about its plans, checked before anything is traced.
#include "civitas/data/tile_store.hpp"
#include "joining.hpp"
#include "map_file.hpp"

namespace civitas::vectorize {

/// Throws Error when tiles have no place or no size that a map can have. `file` for the message.
void require_mappable(const data::TileStore& store, const std::string& file);

/// Whence the plans. Generated ones are anchored when the store says so (text "anchor", not
/// "none"), or, in stores that say nothing, when no plan's corner is 0,0.
[[nodiscard]] Provenance provenance_of(const data::TileStore& store);

/// One line without control characters, UTF-8: what any format can hold.
[[nodiscard]] std::string one_line(const std::string& words);

/// The chosen tiles of a real map, row by row from the north: neighbours come soon after one
/// another. Generated plans stand in the order of their numbers.
[[nodiscard]] std::vector<data::TilePlace> places_in_order(const data::TileStore& store,
                                                           const std::vector<std::int64_t>& chosen,
                                                           bool synthetic);

/// Tiles that lie side by side go on in each other: those of a real map, and of one plan
/// (`civitas generate --grid`).
[[nodiscard]] bool is_one_map(const data::StoreHeader& header, const Provenance& from);

/// Tiles overlap: a stretch of ground lies in several of them.
[[nodiscard]] bool overlapping(const data::StoreHeader& header);

}  // namespace civitas::vectorize
