#include "civitas/data/tile_cache.hpp"

#include "civitas/base/text.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace civitas::data {
namespace {

/// What becomes of a tile.
enum State : std::uint32_t { absent, being_read, there };

constexpr std::chrono::microseconds between_looks{50};

/// Memory of one machine; none where it has none after all.
std::optional<comm::NodeMemory> memory_of(const comm::Communicator& machine, std::int64_t bytes,
                                          const std::filesystem::path& disk) {
    try {
        return comm::NodeMemory(machine, bytes, disk);
    } catch (const AgreedError&) {
        return std::nullopt;
    }
}

}  // namespace

std::int64_t TileCache::bytes_for(std::int64_t tiles, std::int64_t area) {
    return tiles * (static_cast<std::int64_t>(sizeof(std::uint32_t)) + area);
}

TileCache::TileCache(std::span<std::byte> memory, std::int64_t tiles, std::int64_t area)
    : states_(reinterpret_cast<std::uint32_t*>(memory.data()), static_cast<std::size_t>(tiles)),
      area_(static_cast<std::size_t>(area)) {
    const auto pixels = memory.subspan(states_.size_bytes());
    ensure(pixels.size() >= states_.size() * area_, "a cache has room for all tiles");
    pixels_ = {reinterpret_cast<std::uint8_t*>(pixels.data()), states_.size() * area_};
}

std::span<std::uint8_t> TileCache::place_of(std::size_t tile) const {
    return pixels_.subspan(tile * area_, area_);
}

void TileCache::get(TileIndex tile, std::span<std::uint8_t> pixels,
                    const std::function<void()>& read) {
    const auto number = static_cast<std::size_t>(index(tile));
    const std::atomic_ref state(states_[number]);
    for (std::uint32_t seen = state.load(std::memory_order_acquire); seen != there;
         seen = state.load(std::memory_order_acquire)) {
        if (seen == absent && state.compare_exchange_strong(seen, being_read))
            return read_into(number, pixels, read);
        if (seen == being_read) std::this_thread::sleep_for(between_looks);
    }
    std::ranges::copy(place_of(number), pixels.begin());
    ++found_;
}

void TileCache::read_into(std::size_t tile, std::span<std::uint8_t> pixels,
                          const std::function<void()>& read) {
    const std::atomic_ref state(states_[tile]);
    try {
        read();
    } catch (...) {
        state.store(absent, std::memory_order_release);
        throw;
    }
    std::ranges::copy(pixels, place_of(tile).begin());
    state.store(there, std::memory_order_release);
    ++reads_;
}

SharedTiles::SharedTiles(const comm::Communicator& job, TileStore& store, Log& log,
                         const std::filesystem::path& disk)
    : store_(store) {
    const comm::Communicator machine = job.split_by_machine();
    if (job.max(std::int64_t{machine.size()}) == 1) return;
    const std::int64_t each = store.header().tile_bytes();
    const std::int64_t bytes = TileCache::bytes_for(store.size(), each);
    const std::int64_t room = job.min(comm::node_memory_room(disk).value_or(0) / 2);
    if (room >= bytes) memory_ = memory_of(machine, bytes, disk);
    if (!job.all(memory_.has_value())) {
        memory_.reset();
        if (job.is_root())
            log.warn(text(
                "each rank reads tiles for itself: in memory that ranks share they would "
                "take ",
                megabytes(bytes), ", half of the room in ", disk.string(), " is ", megabytes(room),
                ". Hint: more room there (mount -o remount,size=..., docker run "
                "--shm-size)"));
        return;
    }
    cache_.emplace(memory_->bytes(), store.size(), each);
    store.read_through(&*cache_);
}

void SharedTiles::tell(const comm::Communicator& job, std::size_t members, Log& log) const {
    if (!cache_) return;
    const std::int64_t reads = job.sum(cache_->reads()), found = job.sum(cache_->found());
    log.info(text("tiles were read ", reads, " times for ", members, " members, and ", found,
                  " times taken from memory that their ranks share"));
}

}  // namespace civitas::data
