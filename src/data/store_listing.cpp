#include "store_listing.hpp"

#include "store_header.hpp"
#include "store_records.hpp"

#include "civitas/base/process.hpp"
#include "civitas/comm/agree.hpp"

#include <zlib.h>
#include <algorithm>

namespace civitas::data {
namespace {

namespace fs = std::filesystem;
const char* const edited =
    "copy the file again, or make the tiles again; after an edit on purpose delete its datasets "
    "index and checksum";

/// Throws unless the tiles lie in the file, none over another.
void require_room(const fs::path& file, std::span<const StoredTile> tiles) {
    const std::uint64_t size = fs::file_size(file);
    const auto before = [](const StoredTile& a, const StoredTile& b) {
        return a.offset < b.offset;
    };
    for (const StoredTile& t : tiles)
        if (t.offset > size || t.bytes > size - t.offset)
            throw Error(
                text(file, ": a tile lies at byte ", t.offset, ", beyond the end at ", size),
                Hint{"the file is damaged or truncated: copy or make it again"});
    std::vector<StoredTile> sorted;
    if (!std::is_sorted(tiles.begin(), tiles.end(), before)) {
        sorted.assign(tiles.begin(), tiles.end());
        std::sort(sorted.begin(), sorted.end(), before);
        tiles = sorted;
    }
    for (std::size_t i = 1; i < tiles.size(); ++i)
        if (tiles[i].offset < tiles[i - 1].offset + tiles[i - 1].bytes)
            throw Error(text(file, ": two tiles lie over each other at byte ", tiles[i].offset),
                        Hint{"the file is damaged: copy or make it again"});
}

/// Whether HDF5 reads the tile as we do: not when the file was packed anew, or with other filters.
bool reads_alike(const hdf5::H5File& h5, const io::RawFile& raw, std::span<const StoredTile> tiles,
                 std::size_t row) {
    try {
        const Range one{static_cast<std::int64_t>(row), 1};
        const auto expected = h5.read_rows<std::uint8_t>("/tiles", one);
        std::vector<std::byte> bytes(tiles[row].bytes);
        raw.read_at(tiles[row].offset, bytes);
        std::vector<std::uint8_t> found(expected.size());
        uLongf size = found.size();
        const int code = ::uncompress(found.data(), &size,
                                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        return code == Z_OK && size == found.size() && found == expected;
    } catch (const Error&) {
        return false;
    }
}

/// Some tiles looked up by HDF5 itself.
bool reads_alike(const hdf5::H5File& h5, const fs::path& file, std::span<const StoredTile> tiles) {
    const auto raw = io::RawFile::open_to_read(file);
    const std::size_t n = tiles.size();
    return reads_alike(h5, raw, tiles, 0) && reads_alike(h5, raw, tiles, n / 2) &&
           reads_alike(h5, raw, tiles, n - 1);
}

/// A store without an index, or with one of before it was packed anew.
std::vector<StoredTile> listed(const hdf5::H5File& h5, const fs::path& file, const Listing& known,
                               const StoreHeader& header) {
    try {
        std::vector<StoredTile> tiles;
        for (const hdf5::ChunkAddress& c : h5.row_chunks("/tiles"))
            tiles.push_back({c.offset, c.bytes, 0});
        if (tiles.size() != known.records.size())
            throw Error(text(known.records.size(), " tiles in ", tiles.size(), " chunks"));
        require_room(file, tiles);
        if (!reads_alike(h5, file, tiles)) throw Error("HDF5 reads them differently");
        return tiles;
    } catch (const Error& e) {
        throw Error(text(file, ": the tiles are damaged or packed otherwise (", e.what(), ")"),
                    Hint{text("h5repack -l tiles:CHUNK=1x", header.pixels, "x", header.pixels,
                              header.content == Content::rgb ? "x3" : "",
                              " -f tiles:GZIP=4, or make them again")});
    }
}

void require_checksum(const hdf5::H5File& h5, const fs::path& file, const Listing& known,
                      const StoreHeader& header) {
    if (!h5.has(checksum_name)) return;
    DescriptionHash hash;
    hash.add(known.records, header);
    const std::string found = hash.finish(known.tiles, header),
                      stored = h5.read_text(checksum_name);
    if (found != stored)
        throw Error(text(file, ": the store's description is damaged: its checksum is ", found,
                         ", not ", stored),
                    Hint{edited});
}

/// Of a whole store its checksum tells everything; of any other some bytes all over the file.
std::vector<Landmark> landmarks_of(const hdf5::H5File& h5, const fs::path& file, bool indexed) {
    constexpr std::uint64_t block = 4096, blocks = 8;
    const std::uint64_t size = fs::file_size(file);
    std::vector<Landmark> landmarks{{0, std::min(size, block)}};
    if (indexed && h5.has(checksum_name)) {
        constexpr std::uint64_t digits = 32;
        landmarks.push_back({h5.offset(checksum_name), digits});
        return landmarks;
    }
    for (std::uint64_t i = 1; size > block && i <= blocks; ++i)
        landmarks.push_back({(size - block) / blocks * i, block});
    return landmarks;
}

/// What of a file is the same on all ranks that see the same one.
struct Sight {
    std::uint64_t size = 0;
    std::uint64_t hash = 0;
};

Sight look(const io::RawFile& file, std::span<const Landmark> landmarks) {
    Sight sight{file.size(), 0};
    for (const Landmark& mark : landmarks) {
        if (mark.offset > sight.size || mark.bytes > sight.size - mark.offset) continue;
        std::vector<std::byte> bytes(mark.bytes);
        file.read_at(mark.offset, bytes);
        sight.hash += mix64(mark.offset, hash_of(bytes));
    }
    return sight;
}

}  // namespace

Listing list_store(const fs::path& file) {
    const hdf5::H5File h5 = hdf5::H5File::open(file);
    const StoreHeader header = read_header(h5, file);
    Listing found;
    found.records = read_records(h5, file, header);
    found.tiles = read_index(h5, found.records.size());
    require_checksum(h5, file, found, header);
    if (!found.tiles.empty()) {
        require_room(file, found.tiles);
        found.indexed = reads_alike(h5, file, found.tiles);
    }
    if (!found.indexed) found.tiles = listed(h5, file, found, header);
    found.landmarks = landmarks_of(h5, file, found.indexed);
    found.header = to_bytes(header);
    return found;
}

void require_same_file(const comm::Communicator& ranks, const io::RawFile& file,
                       std::vector<Landmark> landmarks) {
    landmarks = ranks.broadcast(std::move(landmarks));
    const Sight mine = comm::agree(ranks, [&] { return look(file, landmarks); });
    const Sight roots = ranks.broadcast(mine);
    const std::string root_host = ranks.broadcast(host_name());
    comm::agree(ranks, [&] {
        if (mine.size == roots.size && mine.hash == roots.hash) return;
        throw Error(text("another tile store lies at ", file.name(), " on ", host_name(),
                         " than on ", root_host, " of rank 0: ", mine.size, " bytes, mark ",
                         hex(mine.hash), ", not ", roots.size, " bytes, mark ", hex(roots.hash)),
                    Hint{"keep it on a disk that all nodes share, or copy it to each of them"});
    });
}

}  // namespace civitas::data
