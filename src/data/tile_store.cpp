#include "civitas/data/tile_store.hpp"

#include "store_header.hpp"
#include "store_listing.hpp"
#include "store_records.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/data/tile_cache.hpp"
#include "civitas/io/files.hpp"

#include <zlib.h>
#include <algorithm>
#include <functional>

namespace civitas::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> stored_bytes(const io::RawFile& file, const StoredTile& tile) {
    std::vector<std::byte> bytes(tile.bytes);
    file.read_at(tile.offset, bytes);
    return bytes;
}

/// HDF5's own words do not name the file.
Listing listed(const fs::path& file) {
    try {
        return list_store(file);
    } catch (const LibraryError& e) {
        throw Error(text(file, " is damaged: ", e.what()),
                    Hint{"copy the file again, or make the tiles again"});
    }
}

[[noreturn]] void refuse_tile(const io::RawFile& file, TileIndex tile, const std::string& why) {
    throw Error(text(file.name(), ": tile ", index(tile), " is damaged (", why, ")"),
                Hint{"copy the file again, or make the tiles again"});
}

}  // namespace

TileStore::TileStore(const fs::path& file)
    : file_(std::make_shared<const io::RawFile>(io::RawFile::open_to_read(file))) {}

TileStore TileStore::open(const comm::Communicator& ranks, const fs::path& file) {
    Listing listing =
        comm::agree(ranks, [&] { return ranks.is_root() ? listed(file) : Listing{}; });
    TileStore store = comm::agree(ranks, [&] { return TileStore(file); });
    require_same_file(ranks, *store.file_, listing.landmarks);
    store.header_ = header_from_bytes(ranks.broadcast(std::move(listing.header)));
    store.records_ = ranks.broadcast(std::move(listing.records));
    store.tiles_ = ranks.broadcast(std::move(listing.tiles));
    store.indexed_ = ranks.broadcast(listing.indexed);
    if (!store.indexed_) {  // their hashes are known once they are read
        const Range mine = block_range(store.size(), index(ranks.rank()), ranks.size());
        const auto own = comm::agree(ranks, [&] {
            std::vector<StoredTile> read(store.tiles_.begin() + mine.begin,
                                         store.tiles_.begin() + mine.end());
            for (StoredTile& tile : read) tile.hash = hash_of(stored_bytes(*store.file_, tile));
            return read;
        });
        store.tiles_ = ranks.all_gather(std::span<const StoredTile>(own));
    }
    store.hash_ = hex(store.hash_of_rows({0, store.size()}) + store.hash_of_meaning());
    return store;
}

std::uint64_t TileStore::hash_of_rows(Range rows) const {
    const auto n = static_cast<std::uint64_t>(size());
    std::uint64_t sum = 0;
    for (auto i = static_cast<std::uint64_t>(rows.begin);
         i < static_cast<std::uint64_t>(rows.end()); ++i) {
        sum += mix64(i, tiles_[i].hash);
        sum += mix64(n + i, static_cast<std::uint64_t>(records_[i].split));
    }
    if (rows.begin == 0 && rows.count > 0)
        sum += mix64(2 * n, static_cast<std::uint64_t>(header_.pixels));
    return sum;
}

/// What only some stores have; nothing of those that have none of it.
std::uint64_t TileStore::hash_of_meaning() const {
    const auto n = static_cast<std::uint64_t>(size());
    std::uint64_t sum = 0;
    if (header_.content != Content::classes)
        sum += mix64(2 * n + 1, static_cast<std::uint64_t>(header_.content));
    // One number of each tile, and what the numbers are called.
    const auto add = [&](std::uint64_t first, auto number, const auto& names, auto name_of) {
        for (std::uint64_t i = 0; i < n; ++i)
            sum += mix64(first + i, std::invoke(number, records_[i]));
        std::uint64_t hash = 0;
        for (const auto& named : names)
            hash = civitas::hash_of(std::as_bytes(std::span(std::invoke(name_of, named))), hash);
        sum += mix64(first + n, hash);
    };
    if (!header_.label_names.empty())
        add(2 * n + 2, &TileRecord::label, header_.label_names, std::identity{});
    if (header_.sources.size() > 1)
        add(3 * n + 3, &TileRecord::source, header_.sources, &SourceFile::name);
    return sum;
}

const fs::path& TileStore::file() const { return file_->name(); }

std::vector<TileIndex> TileStore::rows(Split split) const {
    std::vector<TileIndex> found;
    for (std::size_t i = 0; i < records_.size(); ++i)
        if (records_[i].split == split) found.push_back(static_cast<TileIndex>(i));
    return found;
}

void TileStore::read(TileIndex tile, std::span<std::uint8_t> pixels) const {
    ensure(std::ssize(pixels) == header_.tile_bytes(), "room for the pixels of one tile");
    if (cache_ == nullptr) return inflate(tile, pixels);
    cache_->get(tile, pixels, [&] { inflate(tile, pixels); });
}

void TileStore::inflate(TileIndex tile, std::span<std::uint8_t> pixels) const {
    const std::size_t all = pixels.size();
    const StoredTile& stored = tiles_.at(static_cast<std::size_t>(index(tile)));
    const auto bytes = stored_bytes(*file_, stored);
    if (hash_of(bytes) != stored.hash) refuse_tile(*file_, tile, "its bytes are not those stored");
    uLongf size = all;
    const int code = ::uncompress(pixels.data(), &size,
                                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    if (code != Z_OK) refuse_tile(*file_, tile, ::zError(code));
    if (size != all) refuse_tile(*file_, tile, text(size, " of ", all, " bytes"));
    if (header_.content != Content::classes) return;
    const auto highest = *std::max_element(pixels.begin(), pixels.end());
    if (highest > static_cast<std::uint8_t>(LandClass::building))
        refuse_tile(*file_, tile, text("a pixel of class ", int{highest}));
}

}  // namespace civitas::data
