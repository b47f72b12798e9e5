#pragma once
/// The header of a tile store as attributes and texts of its file.
#include "civitas/data/tile_store.hpp"

namespace civitas::data {

/// Throws Error when a key of the header is a name that the format keeps for itself.
void check_header(const StoreHeader& header);
/// Everything but `complete`. Collective if the file is.
void write_header(io::H5File& h5, const StoreHeader& header);
/// The last thing that is written.
void mark_complete(io::H5File& h5);
/// Throws Error, with a hint, when this is not a whole tile store that this program can read.
[[nodiscard]] StoreHeader read_header(const io::H5File& h5, const std::filesystem::path& file);

}  // namespace civitas::data
