#include "civitas/data/tile_store.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/comm/agree.hpp"
#include "store_header.hpp"

#include <zlib.h>
#include <algorithm>
#include <cstring>

namespace civitas::data {
namespace {

namespace fs = std::filesystem;

void require_shape(const io::H5File& h5, const fs::path& file, const std::string& name,
                   const io::Extent& expected) {
    const auto words = [](const io::Extent& e) {
        std::string w;
        for (const auto n : e) w += text(w.empty() ? "" : " x ", n);
        return w;
    };
    const io::Extent found = h5.shape(name);
    if (found != expected)
        throw Error(text(file, ": ", name, " is ", words(found), ", not ", words(expected)),
                    Hint{"the store is damaged or of another program: make the tiles again"});
}

std::vector<TileRecord> read_records(const io::H5File& h5, const fs::path& file,
                                     std::int64_t pixels) {
    const io::Extent tiles = h5.shape("/tiles");
    const std::uint64_t n = tiles.empty() ? 0 : tiles[0];
    const auto side = static_cast<std::uint64_t>(pixels);
    if (n == 0) throw Error(text(file, " holds no tile"), Hint{"make the tiles again"});
    require_shape(h5, file, "/tiles", {n, side, side});
    require_shape(h5, file, "/origin", {n, 2});
    require_shape(h5, file, "/cover", {n, 3});
    for (const char* name : {"/variance", "/source", "/split"}) require_shape(h5, file, name, {n});
    const auto origin = h5.read_all<double>("/origin");
    const auto cover = h5.read_all<float>("/cover");
    const auto variance = h5.read_all<float>("/variance");
    const auto source = h5.read_all<std::uint16_t>("/source");
    const auto split = h5.read_all<std::uint8_t>("/split");
    std::vector<TileRecord> records(n);
    for (std::size_t i = 0; i < n; ++i)
        records[i] = {
            origin[2 * i], origin[2 * i + 1], {cover[3 * i], cover[3 * i + 1], cover[3 * i + 2]},
            variance[i],   source[i],         split[i] == 0 ? Split::train : Split::test};
    return records;
}

/// Addresses that lie in the file.
std::vector<io::ChunkAddress> list_chunks(const io::H5File& h5, const io::RawFile& file) {
    auto chunks = h5.row_chunks("/tiles");
    const std::uint64_t size = file.size();
    for (const io::ChunkAddress& c : chunks)
        if (c.offset > size || c.bytes > size - c.offset)
            throw Error(
                text(file.name(), ": a tile lies at byte ", c.offset, ", beyond the end at ", size),
                Hint{"the file is damaged or truncated: copy or make it again"});
    return chunks;
}

std::vector<std::byte> stored_bytes(const io::RawFile& file, io::ChunkAddress chunk) {
    std::vector<std::byte> bytes(chunk.bytes);
    file.read_at(chunk.offset, bytes);
    return bytes;
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
    std::uint64_t sum = mix64(bytes.size(), bytes.size());
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
        sum += mix64(i, word);
    }
    return sum;
}

/// HDF5's reading of a tile and ours must be the same: they are not when the file was packed anew
/// with other filters or chunks.
void require_our_packing(const io::H5File& h5, const TileStore& store) {
    const auto expected = h5.read_rows<std::uint8_t>("/tiles", {0, 1});
    std::vector<std::uint8_t> found(expected.size());
    store.read(TileIndex{0}, found);
    if (found != expected) throw Error("the first tile reads differently through HDF5");
}

}  // namespace

TileStore::TileStore(io::RawFile file, StoreHeader header)
    : file_(std::move(file)), header_(std::move(header)) {}

TileStore TileStore::open(const comm::Communicator& ranks, const fs::path& file) {
    const io::H5File h5 = comm::agree(ranks, [&] { return io::H5File::open(file); });
    TileStore store = comm::agree(ranks, [&] {
        StoreHeader header = read_header(h5, file);
        TileStore made(io::RawFile::open_to_read(file), std::move(header));
        made.records_ = read_records(h5, file, made.header_.pixels);
        return made;
    });
    store.chunks_ = ranks.broadcast(comm::agree(ranks, [&] {
        return ranks.is_root() ? list_chunks(h5, store.file_) : std::vector<io::ChunkAddress>{};
    }));
    comm::agree(ranks, [&] {
        try {
            expect(store.chunks_.size() == store.records_.size(), "one chunk per tile");
            require_our_packing(h5, store);
        } catch (const Error& e) {
            throw Error(text(file, ": the tiles are damaged or packed otherwise (", e.what(), ")"),
                        Hint{text("h5repack -l tiles:CHUNK=1x", store.header_.pixels, "x",
                                  store.header_.pixels, " -f tiles:GZIP=4, or make them again")});
        }
    });
    const Range mine = share_of(store.size(), index(ranks.rank()), ranks.size());
    store.hash_ = hex(ranks.sum(comm::agree(ranks, [&] { return store.hash_of_rows(mine); })));
    return store;
}

std::uint64_t TileStore::hash_of_rows(Range rows) const {
    const auto n = static_cast<std::uint64_t>(size());
    std::uint64_t sum = 0;
    for (auto i = static_cast<std::uint64_t>(rows.begin);
         i < static_cast<std::uint64_t>(rows.end()); ++i) {
        sum += mix64(i, hash_of(stored_bytes(file_, chunks_[i])));
        sum += mix64(n + i, static_cast<std::uint64_t>(records_[i].split));
    }
    if (rows.begin == 0 && rows.count > 0)
        sum += mix64(2 * n, static_cast<std::uint64_t>(header_.pixels));
    return sum;
}

std::vector<TileIndex> TileStore::rows(Split split) const {
    std::vector<TileIndex> found;
    for (std::size_t i = 0; i < records_.size(); ++i)
        if (records_[i].split == split) found.push_back(static_cast<TileIndex>(i));
    return found;
}

void TileStore::read(TileIndex tile, std::span<std::uint8_t> pixels) const {
    const auto area = static_cast<std::size_t>(header_.pixels * header_.pixels);
    expect(pixels.size() == area, "room for the pixels of one tile");
    const auto bytes = stored_bytes(file_, chunks_.at(static_cast<std::size_t>(index(tile))));
    uLongf size = area;
    const int code = ::uncompress(pixels.data(), &size,
                                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const auto highest = *std::max_element(pixels.begin(), pixels.end());
    if (code != Z_OK || size != area || highest > static_cast<std::uint8_t>(LandClass::building))
        throw Error(text(file_.name(), ": tile ", index(tile), " is damaged (",
                         code != Z_OK ? ::zError(code)
                                      : text(size, " of ", area, " pixels, class ", int{highest}),
                         ")"),
                    Hint{"copy the file again, or make the tiles again"});
}

}  // namespace civitas::data
