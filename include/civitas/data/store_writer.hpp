#pragma once
/// Tile stores written batch by batch: a store may be larger than the memory of all ranks.
#include "civitas/data/tile_store.hpp"
#include "civitas/io/files.hpp"

#include <cstddef>
#include <memory>

namespace civitas::data {

/// The bytes of a tile as a store keeps them, compressed.
using PackedTile = std::vector<std::byte>;
/// Compresses the bytes of a tile. Throws Error for a class that there is not.
[[nodiscard]] PackedTile pack(std::span<const std::uint8_t> bytes,
                              Content content = Content::classes);
/// Returns the `count` bytes of a packed tile.
[[nodiscard]] std::vector<std::uint8_t> unpack(const PackedTile& packed, std::size_t count);

/// A tile for a picture: every n-th pixel of every n-th row, n the smallest that leaves at most 512
/// a side.
struct SmallTile {
    std::int64_t side = 0;  ///< the same for tiles of equal size
    std::vector<std::uint8_t> bytes = {};
};
[[nodiscard]] SmallTile small_tile(const PackedTile& packed, std::int64_t side,
                                   Content content = Content::classes);

/// A store in the making. The root writes, one rank's tiles after the other's, and holds a few
/// megabytes of them at a time; the file appears under its name only with close().
class StoreWriter {
public:
    /// Begins a store of `tiles` tiles in all. Collective; throws AgreedError for no tile, a header
    /// that cannot be kept and a file that cannot be written. `ranks` outlives the writer.
    StoreWriter(const comm::Communicator& ranks, const std::filesystem::path& file,
                const StoreHeader& header, std::int64_t tiles,
                io::Replace replace = io::Replace::yes);
    StoreWriter(StoreWriter&&) noexcept;
    StoreWriter& operator=(StoreWriter&&) = delete;
    StoreWriter(const StoreWriter&) = delete;
    StoreWriter& operator=(const StoreWriter&) = delete;
    ~StoreWriter();

    /// Appends the next tiles: those of all ranks, in rank order; a rank may have none. Collective.
    void append(std::span<const TileRecord> records, std::span<const PackedTile> tiles);
    /// Ends the store, after its last tile, and puts it under its name. Collective.
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace civitas::data
