#include "store_header.hpp"
#include "store_records.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/data/store_writer.hpp"

#include <zlib.h>
#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::data {
namespace {

namespace fs = std::filesystem;
constexpr int deflate_level = 4;

/// A header as it will be read back.
StoreHeader plain(StoreHeader header) {
    for (SourceFile& source : header.sources)
        std::replace(source.name.begin(), source.name.end(), '\n', ' ');
    return header;
}

/// Throws when not even the description of so many tiles has room.
void require_free_space(const fs::path& file, std::uint64_t tiles) {
    constexpr std::uintmax_t least = 64;  // bytes of a tile: record, index and a few of pixels
    std::error_code failed;
    const auto space = fs::space(file.has_parent_path() ? file.parent_path() : ".", failed);
    if (failed || tiles <= space.available / least) return;
    throw Error(
        text("no room for ", tiles, " tiles in ", file, ": ", space.available, " bytes are free"),
        Hint{"free some space, write elsewhere, or ask for fewer"});
}

/// The file of the root and all that is known before its tiles come.
hdf5::H5File begin_store(const fs::path& file, const StoreHeader& header, std::uint64_t tiles,
                         io::Replace replace) {
    hdf5::H5File h5 = hdf5::H5File::create(file, replace);
    require_free_space(file, tiles);
    write_header(h5, header);
    create_records(h5, tiles, header);
    const auto side = static_cast<std::uint64_t>(header.pixels);
    hdf5::Extent shape{tiles, side, side};
    if (header.content == Content::rgb) shape.push_back(3);
    hdf5::Extent chunk = shape;
    chunk[0] = 1;
    h5.create_dataset({.name = "/tiles",
                       .type = hdf5::ElementType::u8,
                       .shape = shape,
                       .chunk = chunk,
                       .deflate = deflate_level});
    return h5;
}

/// Some tiles on their way to the root.
struct Batch {
    std::vector<TileRecord> records = {};
    std::vector<std::uint64_t> sizes = {};
    std::vector<std::byte> bytes = {};
};

/// What of a rank's tiles goes into one message, so that the root holds little at a time.
Range next_batch(std::span<const PackedTile> tiles, std::int64_t begin) {
    constexpr std::size_t most = std::size_t{8} << 20;
    std::size_t bytes = 0;
    std::int64_t end = begin;
    while (end < std::ssize(tiles) && bytes < most)
        bytes += tiles[static_cast<std::size_t>(end++)].size();
    return {begin, end - begin};
}

Batch batch_of(std::span<const TileRecord> records, std::span<const PackedTile> tiles, Range some) {
    const auto first = static_cast<std::size_t>(some.begin);
    const auto count = static_cast<std::size_t>(some.count);
    const auto chosen = records.subspan(first, count);
    Batch batch{.records = {chosen.begin(), chosen.end()}};
    for (const PackedTile& tile : tiles.subspan(first, count)) {
        batch.sizes.push_back(tile.size());
        batch.bytes.insert(batch.bytes.end(), tile.begin(), tile.end());
    }
    return batch;
}

}  // namespace

PackedTile pack(std::span<const std::uint8_t> bytes, Content content) {
    const auto last = static_cast<std::uint8_t>(LandClass::building);
    if (content == Content::classes &&
        std::any_of(bytes.begin(), bytes.end(), [&](std::uint8_t c) { return c > last; }))
        throw Error(text("a pixel has a class above ", int{last}, " (building)"));
    uLongf size = ::compressBound(bytes.size());
    PackedTile packed(size);
    const int code = ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes.data(),
                                 bytes.size(), deflate_level);
    if (code != Z_OK) throw LibraryError("compress2", ::zError(code));
    return {packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)};
}

std::vector<std::uint8_t> unpack(const PackedTile& packed, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    uLongf size = count;
    const int code = ::uncompress(bytes.data(), &size,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    ensure(code == Z_OK && size == count, "a packed tile unpacks to its pixels");
    return bytes;
}

SmallTile small_tile(const PackedTile& packed, std::int64_t side, Content content) {
    constexpr std::int64_t most = 512;
    const std::int64_t step = (side + most - 1) / most;
    const std::int64_t channels = channels_of(content);
    const auto all = unpack(packed, static_cast<std::size_t>(side * side * channels));
    SmallTile small{(side + step - 1) / step};
    for (std::int64_t y = 0; y < side; y += step)
        for (std::int64_t x = 0; x < side; x += step)
            for (std::int64_t c = 0; c < channels; ++c)
                small.bytes.push_back(all[static_cast<std::size_t>((y * side + x) * channels + c)]);
    return small;
}

// Every rank compresses its tiles; the root alone writes, one rank's after the other's, so that a
// full disk is one rank's error: HDF5 1.10.8 hangs there in a collective write of compressed data.
struct StoreWriter::Impl {
    const comm::Communicator& ranks;
    fs::path file;
    StoreHeader header;
    std::int64_t tiles;                   ///< in all
    std::int64_t row = 0;                 ///< the next to come
    std::optional<hdf5::H5File> h5 = {};  ///< of the root, as are the following
    std::vector<StoredTile> index = {};
    DescriptionHash hash = {};

    void write(const Batch& batch);
    void finish();
};

void StoreWriter::Impl::write(const Batch& batch) {
    write_records(*h5, row, batch.records, header);
    hash.add(batch.records, header);
    std::span<const std::byte> rest(batch.bytes);
    auto next = static_cast<std::uint64_t>(row);
    for (const std::uint64_t size : batch.sizes) {
        h5->write_chunk("/tiles", next++, rest.first(size));
        index.push_back({0, size, hash_of(rest.first(size))});
        rest = rest.subspan(size);
    }
}

void StoreWriter::Impl::finish() {
    const auto places = h5->row_chunks("/tiles");
    for (std::size_t i = 0; i < index.size(); ++i) {
        ensure(places[i].bytes == index[i].bytes, "HDF5 keeps tiles as they are");
        index[i].offset = places[i].offset;
    }
    write_index(*h5, index);
    h5->write_text(checksum_name, hash.finish(index, header));
    mark_complete(*h5);
    h5->close();
}

StoreWriter::StoreWriter(const comm::Communicator& ranks, const fs::path& file,
                         const StoreHeader& header, std::int64_t tiles, io::Replace replace)
    : impl_(std::make_unique<Impl>(Impl{ranks, file, plain(header), tiles})) {
    comm::agree(ranks, [&] {
        check_header(header);
        if (tiles < 1)
            throw Error(text("there is no tile to write to ", file),
                        Hint{"are the thresholds too strict, or the input empty?"});
        if (!ranks.is_root()) return;
        impl_->h5.emplace(
            begin_store(file, impl_->header, static_cast<std::uint64_t>(tiles), replace));
    });
}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

void StoreWriter::append(std::span<const TileRecord> records, std::span<const PackedTile> tiles) {
    const comm::Communicator& ranks = impl_->ranks;
    comm::agree(ranks, [&] {
        ensure(records.size() == tiles.size(), "as many records as tiles");
        check_records(records, impl_->header);
    });
    const auto counts = ranks.all_gather(std::ssize(tiles));
    for (Rank from{0}; index(from) < ranks.size(); from = Rank{index(from) + 1}) {
        const std::int64_t count = counts[static_cast<std::size_t>(index(from))];
        for (std::int64_t done = 0; done < count;) {
            Range some{done, 0};
            if (from == ranks.rank()) some = next_batch(tiles, done);
            Batch batch = batch_of(records, tiles, some);
            some.count = ranks.broadcast(some.count, from);
            batch.records = ranks.transfer(std::move(batch.records), from);
            batch.sizes = ranks.transfer(std::move(batch.sizes), from);
            batch.bytes = ranks.transfer(std::move(batch.bytes), from);
            comm::agree(ranks, [&] {
                ensure(impl_->row + some.count <= impl_->tiles, "no more tiles than announced");
                if (impl_->h5) impl_->write(batch);
            });
            impl_->row += some.count;
            done += some.count;
        }
    }
}

void StoreWriter::close() {
    comm::agree(impl_->ranks, [&] {
        ensure(impl_->row == impl_->tiles, "as many tiles as announced");
        if (impl_->h5) impl_->finish();
    });
}

void write_tile_store(const comm::Communicator& ranks, const fs::path& file,
                      const StoreHeader& header, std::span<const TileRecord> records,
                      std::span<const std::uint8_t> pixels) {
    const std::vector<PackedTile> packed = comm::agree(ranks, [&] {
        check_header(header);
        const auto each = static_cast<std::size_t>(header.tile_bytes());
        if (pixels.size() != records.size() * each)
            throw Error(text(records.size(), " tiles of ", header.pixels, " x ", header.pixels,
                             " pixels do not make ", pixels.size(), " bytes of pixels"));
        std::vector<PackedTile> tiles;
        for (std::size_t i = 0; i < records.size(); ++i)
            tiles.push_back(pack(pixels.subspan(i * each, each), header.content));
        return tiles;
    });
    StoreWriter writer(ranks, file, header, ranks.sum(std::ssize(records)));
    writer.append(records, packed);
    writer.close();
}

}  // namespace civitas::data
