#pragma once
/// Tiles in memory that the ranks of a node share, so that each is read and inflated once.
#include "civitas/base/log.hpp"
#include "civitas/comm/node_memory.hpp"
#include "civitas/data/tile_store.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace civitas::data {

/// The bytes of a store's tiles, each filled in by whoever wants it first. Thread-safe, and so
/// among all processes that have the memory.
class TileCache {
public:
    [[nodiscard]] static std::int64_t bytes_for(std::int64_t tiles, std::int64_t area);
    /// `memory`: bytes_for(tiles, area), zeros at first. `area`: bytes of a tile.
    TileCache(std::span<std::byte> memory, std::int64_t tiles, std::int64_t area);

    /// Gives the pixels of a tile: those that are there, or by `read`, which fills `pixels`. Waits
    /// while somebody else reads the tile. What `read` throws is thrown here alone, and leaves the
    /// tile to the next one who wants it.
    void get(TileIndex tile, std::span<std::uint8_t> pixels, const std::function<void()>& read);

    /// How many tiles this process has read, and how many it found.
    [[nodiscard]] std::int64_t reads() const { return reads_; }
    [[nodiscard]] std::int64_t found() const { return found_; }

private:
    [[nodiscard]] std::span<std::uint8_t> place_of(std::size_t tile) const;
    void read_into(std::size_t tile, std::span<std::uint8_t> pixels,
                   const std::function<void()>& read);

    std::span<std::uint32_t> states_;
    std::span<std::uint8_t> pixels_;
    std::size_t area_;
    std::atomic<std::int64_t> reads_ = 0, found_ = 0;
};

/// Lets a store be read through a cache on each machine of a job, as long as this lives. Where
/// machines have more ranks than one, and in /dev/shm twice the room that all tiles take: the other
/// half is for what else ranks share. Else each rank reads for itself, which is told with both
/// numbers.
class SharedTiles {
public:
    /// Collective over the job, whose ranks have opened the store together. So is the end.
    SharedTiles(const comm::Communicator& job, TileStore& store, Log& log,
                const std::filesystem::path& disk = comm::node_memory_disk);
    SharedTiles(const SharedTiles&) = delete;
    SharedTiles(SharedTiles&&) = delete;
    SharedTiles& operator=(const SharedTiles&) = delete;
    SharedTiles& operator=(SharedTiles&&) = delete;
    ~SharedTiles() { store_.read_through(nullptr); }

    /// Tells how often tiles were read and found by all ranks. Collective.
    void tell(const comm::Communicator& job, std::size_t members, Log& log) const;

private:
    TileStore& store_;
    std::optional<comm::NodeMemory> memory_;
    std::optional<TileCache> cache_;
};

}  // namespace civitas::data
