#pragma once
/// What rank 0 finds out of a store, and how the other ranks know that they see the same one.
#include "civitas/data/tile_store.hpp"
#include "civitas/io/files.hpp"

namespace civitas::data {

/// Bytes of a file that tell it from another.
struct Landmark {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

struct Listing {
    std::string header = {};  ///< to_bytes()
    std::vector<TileRecord> records = {};
    std::vector<StoredTile> tiles = {};  ///< without hashes unless `indexed`
    std::vector<Landmark> landmarks = {};
    bool indexed = false;
};

/// Read and check a store's description and where its tiles lie. Throws Error, with a hint, for
/// anything that is not a whole tile store. For one process.
[[nodiscard]] Listing list_store(const std::filesystem::path& file);

/// Throws AgreedError when a rank sees other bytes than rank 0 at the landmarks, which rank 0
/// knows; names rank, host and file. Collective.
void require_same_file(const comm::Communicator& ranks, const io::RawFile& file,
                       std::vector<Landmark> landmarks);

}  // namespace civitas::data
