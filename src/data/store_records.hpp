#pragma once
/// What is known of the tiles of a store, as datasets of its file.
#include "civitas/base/hash.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/hdf5/hdf5.hpp"

namespace civitas::data {

/// Throws Error for values that no tile has.
void check_records(std::span<const TileRecord> records, const StoreHeader& header);

void create_records(hdf5::H5File& h5, std::uint64_t tiles, const StoreHeader& header);
void write_records(hdf5::H5File& h5, std::int64_t first, std::span<const TileRecord> records,
                   const StoreHeader& header);
/// All records, checked. Throws Error for a file that cannot hold as many as it announces.
[[nodiscard]] std::vector<TileRecord> read_records(const hdf5::H5File& h5,
                                                   const std::filesystem::path& file,
                                                   const StoreHeader& header);

/// The store's own index: a row of three whole numbers per tile.
constexpr const char* index_name = "/index";
/// A text dataset: XXH3-128 of header, records and index.
constexpr const char* checksum_name = "/checksum";

void write_index(hdf5::H5File& h5, std::span<const StoredTile> tiles);
/// Empty when the store has none of this length.
[[nodiscard]] std::vector<StoredTile> read_index(const hdf5::H5File& h5, std::uint64_t tiles);

/// Of the compressed bytes of a tile.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> stored);

/// Grows with the records, in order; finished by index and header.
class DescriptionHash {
public:
    void add(std::span<const TileRecord> records, const StoreHeader& header);
    [[nodiscard]] std::string finish(std::span<const StoredTile> index, const StoreHeader& header);

private:
    RunningHash hash_;
};

}  // namespace civitas::data
