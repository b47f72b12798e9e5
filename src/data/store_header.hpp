#pragma once
/// The header of a tile store as attributes and texts of its file.
#include "civitas/data/tile_store.hpp"
#include "civitas/hdf5/hdf5.hpp"

namespace civitas::data {

constexpr std::int64_t most_pixels = 16384;  ///< of a tile's side

/// Throws Error for values that no store has, and for a key that the format keeps for itself.
void check_header(const StoreHeader& header);
/// Everything but `complete`. Collective if the file is.
void write_header(hdf5::H5File& h5, const StoreHeader& header);
/// The last thing that is written.
void mark_complete(hdf5::H5File& h5);
/// Throws Error, with a hint, when this is not a whole tile store that this program can read.
[[nodiscard]] StoreHeader read_header(const hdf5::H5File& h5, const std::filesystem::path& file);

/// All of a header as bytes, for the other ranks and for the checksum; and back.
[[nodiscard]] std::string to_bytes(const StoreHeader& header);
[[nodiscard]] StoreHeader header_from_bytes(const std::string& bytes);

}  // namespace civitas::data
