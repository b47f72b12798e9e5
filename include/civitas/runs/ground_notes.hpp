#pragma once
/// What plans carry on of the tiles that their generator has learnt from, as notes of checkpoints.
#include "civitas/data/tile_store.hpp"

#include <map>
#include <string>

namespace civitas::runs {

/// Of tiles that have a licence.
inline constexpr const char* licence_note = "training-licence";
/// Of tiles in a coordinate system without an EPSG number.
inline constexpr const char* crs_wkt_note = "crs-wkt";

/// The licence of the tiles, and their coordinate system where no number says it.
[[nodiscard]] std::map<std::string, std::string> notes_of_ground(const data::StoreHeader& tiles);
/// The licence among the notes of a checkpoint; empty without.
[[nodiscard]] std::string licence_in(const std::map<std::string, std::string>& notes);

}  // namespace civitas::runs
