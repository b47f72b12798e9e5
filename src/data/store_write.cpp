#include "civitas/comm/agree.hpp"
#include "civitas/data/tile_store.hpp"
#include "store_header.hpp"

#include <zlib.h>
#include <algorithm>
#include <optional>
#include <utility>

namespace civitas::data {
namespace {

namespace fs = std::filesystem;
constexpr int deflate_level = 4;

void check_input(const StoreHeader& header, std::span<const TileRecord> records,
                 std::span<const std::uint8_t> pixels) {
    check_header(header);
    const auto area = static_cast<std::size_t>(header.pixels * header.pixels);
    if (pixels.size() != records.size() * area)
        throw Error(text(records.size(), " tiles of ", header.pixels, " x ", header.pixels,
                         " pixels do not make ", pixels.size(), " pixels"));
    const auto last = static_cast<std::uint8_t>(LandClass::building);
    if (std::any_of(pixels.begin(), pixels.end(), [&](std::uint8_t c) { return c > last; }))
        throw Error(text("a pixel has a class above ", int{last}, " (building)"));
}

/// Compressed tiles, one after the other.
struct Packed {
    std::vector<std::uint64_t> sizes;
    std::vector<std::byte> bytes;
};

Packed pack(std::span<const std::uint8_t> pixels, std::size_t area) {
    Packed packed;
    std::vector<Bytef> buffer(::compressBound(area));
    for (; !pixels.empty(); pixels = pixels.subspan(area)) {
        uLongf size = buffer.size();
        const int code = ::compress2(buffer.data(), &size, pixels.data(), area, deflate_level);
        if (code != Z_OK) throw LibraryError("compress2", ::zError(code));
        const auto bytes = std::as_bytes(std::span(buffer).first(size));
        packed.sizes.push_back(size);
        packed.bytes.insert(packed.bytes.end(), bytes.begin(), bytes.end());
    }
    return packed;
}

template <class Get>
auto column(std::span<const TileRecord> records, Get&& get) {
    std::vector<std::decay_t<decltype(*get(records[0]).begin())>> values;
    for (const TileRecord& r : records)
        for (const auto v : get(r)) values.push_back(v);
    return values;
}

/// A table of the records: `get` lists the columns of one.
template <class Get>
void write_table(io::H5File& h5, const std::string& name, std::span<const TileRecord> records,
                 Get&& get) {
    const auto values = column(records, get);
    using T = typename std::decay_t<decltype(values)>::value_type;
    io::Extent shape{records.size()};
    if (const std::uint64_t columns = get(records[0]).size(); columns > 1) shape.push_back(columns);
    h5.create_dataset({.name = name, .type = io::element_type<T>(), .shape = shape});
    h5.write_rows<T>(name, {0, static_cast<std::int64_t>(records.size())}, values);
}

void write_records(io::H5File& h5, std::span<const TileRecord> records) {
    using R = const TileRecord&;
    write_table(h5, "/origin", records, [](R r) { return std::array{r.easting, r.northing}; });
    write_table(h5, "/cover", records, [](R r) { return r.cover; });
    write_table(h5, "/variance", records, [](R r) { return std::array{r.variance}; });
    write_table(h5, "/source", records, [](R r) { return std::array{r.source}; });
    write_table(h5, "/split", records,
                [](R r) { return std::array{static_cast<std::uint8_t>(r.split)}; });
}

/// The file of the root and all that is known before its tiles come.
io::H5File begin_store(const fs::path& file, const StoreHeader& header,
                       std::span<const TileRecord> records) {
    io::H5File h5 = io::H5File::create(file);
    write_header(h5, header);
    write_records(h5, records);
    const auto side = static_cast<std::uint64_t>(header.pixels);
    h5.create_dataset({.name = "/tiles",
                       .type = io::ElementType::u8,
                       .shape = {records.size(), side, side},
                       .chunk = {1, side, side},
                       .deflate = deflate_level});
    return h5;
}

void write_tiles(io::H5File& h5, std::uint64_t first_row, const Packed& packed) {
    std::span<const std::byte> rest(packed.bytes);
    for (const std::uint64_t size : packed.sizes) {
        h5.write_chunk("/tiles", first_row++, rest.first(size));
        rest = rest.subspan(size);
    }
}

}  // namespace

// Every rank compresses its tiles; the root alone writes, one rank's after the other's, so that a
// full disk is one rank's error: HDF5 1.10.8 hangs there in a collective write of compressed data.
void write_tile_store(const comm::Communicator& ranks, const fs::path& file,
                      const StoreHeader& header, std::span<const TileRecord> records,
                      std::span<const std::uint8_t> pixels) {
    Packed mine = comm::agree(ranks, [&] {
        check_input(header, records, pixels);
        return pack(pixels, static_cast<std::size_t>(header.pixels * header.pixels));
    });
    const auto all_records = ranks.all_gather(records);
    std::optional<io::H5File> h5;  // of the root
    comm::agree(ranks, [&] {
        if (all_records.empty())
            throw Error(text("there is no tile to write to ", file),
                        Hint{"are the thresholds too strict, or the input empty?"});
        if (ranks.is_root()) h5.emplace(begin_store(file, header, all_records));
    });
    std::uint64_t row = 0;  // of the root
    for (Rank from{0}; index(from) < ranks.size(); from = Rank{index(from) + 1}) {
        Packed theirs;
        if (from == ranks.rank()) theirs = std::exchange(mine, {});
        theirs.sizes = ranks.bring(std::move(theirs.sizes), from);
        theirs.bytes = ranks.bring(std::move(theirs.bytes), from);
        comm::agree(ranks, [&] {
            if (h5) write_tiles(*h5, row, theirs);
            row += theirs.sizes.size();
        });
    }
    comm::agree(ranks, [&] {
        if (!h5) return;
        mark_complete(*h5);
        h5->close();
    });
}

}  // namespace civitas::data
