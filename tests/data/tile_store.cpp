#include "civitas/data/tile_store.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"

#include "support/agree.hpp"
#include "support/file_size_limit.hpp"
#include "support/shared_folder.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::data;
using Catch::Matchers::Contains;
using comm::Communicator;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t side = 16;
constexpr std::size_t area = side * side;

/// A tile that differs from every other.
std::vector<std::uint8_t> tile_pixels(std::int64_t tile) {
    std::vector<std::uint8_t> pixels(area);
    for (std::size_t i = 0; i < area; ++i)
        pixels[i] = static_cast<std::uint8_t>((i * i + 7 * i * static_cast<std::size_t>(tile)) % 3);
    return pixels;
}

TileRecord tile_record(std::int64_t tile) {
    const auto t = static_cast<float>(tile);
    return {
        2'600'000.25 + static_cast<double>(tile) * 250, 1'200'000.5,
        {0.5F + t / 2000, 0.25F, 0.25F - t / 2000},     t / 7,
        static_cast<std::uint16_t>(tile % 2),           tile % 5 == 3 ? Split::test : Split::train};
}

StoreHeader header() {
    return {.crs_epsg = 2056,
            .crs_wkt = std::string(70'000, 'w'),  // longer than an attribute may be
            .tile_metres = 250,
            .pixels = side,
            .numbers = {{"min_building", 0.05}},
            .counts = {{"seed", 18'446'744'073'709'551'615U}},  // no double holds it
            .texts = {{"made_by", "a test"}},
            .dropped = {{"too little building", 7}},
            .sources = {{"Zürich  süd.gpkg", std::string(32, 'a')}, {"b.shp", ""}},
            .licence = "none",
            .command = "civitas-preprocess b.shp"};
}

struct Part {
    std::vector<TileRecord> records;
    std::vector<std::uint8_t> pixels;
};

Part part(Range tiles) {
    Part p;
    for (std::int64_t t = tiles.begin; t < tiles.end(); ++t) {
        p.records.push_back(tile_record(t));
        const auto pixels = tile_pixels(t);
        p.pixels.insert(p.pixels.end(), pixels.begin(), pixels.end());
    }
    return p;
}

/// Rank 1, when there is one, has nothing to write.
Range tiles_of(const Communicator& ranks, std::int64_t total) {
    const int me = index(ranks.rank());
    if (ranks.size() == 1) return {0, total};
    if (me == 1) return {block_range(total, 0, ranks.size() - 1).end(), 0};
    return block_range(total, me == 0 ? 0 : me - 1, ranks.size() - 1);
}

void write_store(const Communicator& ranks, const fs::path& file, std::int64_t total) {
    const Part mine = part(tiles_of(ranks, total));
    write_tile_store(ranks, file, header(), mine.records, mine.pixels);
}

bool same_record(const TileRecord& a, const TileRecord& b) {
    return a.easting == b.easting && a.northing == b.northing && a.cover == b.cover &&
           a.variance == b.variance && a.source == b.source && a.split == b.split;
}

bool holds(const TileStore& store, std::int64_t total) {
    if (store.size() != total) return false;
    for (std::int64_t t = 0; t < total; ++t) {
        std::vector<std::uint8_t> pixels(area);
        store.read(TileIndex{t}, pixels);
        if (pixels != tile_pixels(t)) return false;
        if (!same_record(store.records()[static_cast<std::size_t>(t)], tile_record(t)))
            return false;
    }
    return true;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename());
    return names;
}

/// A file that has the marks of a format, and nothing else.
void write_marks(const fs::path& file, const std::string& format, std::int64_t version) {
    auto h5 = hdf5::H5File::create(file);
    h5.set_attribute("/", "format", format);
    h5.set_attribute("/", "format_version", version);
    h5.close();
}

void damage(const fs::path& file, std::uint64_t offset) {
    const auto raw = io::RawFile::open_to_write(file);
    std::array<std::byte, 4> bytes{};
    raw.read_at(offset, bytes);
    for (auto& b : bytes) b ^= std::byte{0xff};
    raw.write_at(offset, bytes);
}

}  // namespace

TEST_CASE("a store is the same whoever wrote it, a rank without tiles included") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-same");
    write_store(world, folder.path() / "together.h5", 23);
    comm::on_root(world,
                  [&] { write_store(Communicator::self(), folder.path() / "alone.h5", 23); });
    const TileStore together = TileStore::open(world, folder.path() / "together.h5");
    const TileStore alone = TileStore::open(world, folder.path() / "alone.h5");
    CHECK(together.indexed());
    CHECK(holds(together, 23));
    CHECK(holds(alone, 23));
    CHECK(io::read_text_file(folder.path() / "together.h5") ==
          io::read_text_file(folder.path() / "alone.h5"));
    CHECK(together.hash() == alone.hash());
    CHECK(together.hash() ==
          TileStore::open(Communicator::self(), folder.path() / "alone.h5").hash());
    CHECK(names_in(folder.path()).size() == 2);
    world.barrier();
}

TEST_CASE("a header comes back as it was") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-header");
    write_store(world, folder.path() / "tiles.h5", 4);
    const TileStore store = TileStore::open(world, folder.path() / "tiles.h5");
    const StoreHeader expected = header();
    const StoreHeader& found = store.header();
    CHECK(found.crs_epsg == expected.crs_epsg);
    CHECK(found.crs_wkt == expected.crs_wkt);
    CHECK(found.tile_metres == expected.tile_metres);
    CHECK(found.pixels == expected.pixels);
    CHECK(found.numbers == expected.numbers);
    CHECK(found.counts == expected.counts);
    CHECK(found.texts == expected.texts);
    CHECK(found.dropped == expected.dropped);
    REQUIRE(found.sources.size() == 2);
    CHECK(found.sources[0].name == "Zürich  süd.gpkg");
    CHECK(found.sources[0].hash == std::string(32, 'a'));
    CHECK(found.sources[1].hash.empty());
    CHECK(found.licence == expected.licence);
    CHECK(found.command == expected.command);
    CHECK(store.rows(Split::train) ==
          std::vector<TileIndex>{TileIndex{0}, TileIndex{1}, TileIndex{2}});
    CHECK(store.rows(Split::test) == std::vector<TileIndex>{TileIndex{3}});
    const auto h5 = hdf5::H5File::open(folder.path() / "tiles.h5");
    CHECK(h5.read_text("/classes") == "0 other\n1 road\n2 building\n");
    CHECK(h5.attributes("/") ==
          std::vector<std::string>{"complete", "crs_epsg", "dropped: too little building", "format",
                                   "format_version", "made_by", "min_building", "pixels",
                                   "program_version", "seed", "tile_metres"});
}

TEST_CASE("the hash tells stores apart") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-hash");
    const Range mine = tiles_of(world, 6);
    Part p = part(mine);
    const auto hash_with = [&](const char* name) {
        write_tile_store(world, folder.path() / name, header(), p.records, p.pixels);
        return TileStore::open(world, folder.path() / name).hash();
    };
    const std::string first = hash_with("a.h5");
    CHECK(hash_with("b.h5") == first);
    if (mine.begin == 0 && mine.count > 0) p.records[0].split = Split::test;
    CHECK(hash_with("split.h5") != first);
    p = part(mine);
    if (mine.begin == 0 && mine.count > 0) p.pixels[5] ^= 1U;
    CHECK(hash_with("pixel.h5") != first);
    p = part({100 - mine.end(), mine.count});
    CHECK(hash_with("order.h5") != first);
}

TEST_CASE("what cannot be written is refused and leaves nothing") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-refused");
    const fs::path file = folder.path() / "tiles.h5";
    CHECK_THROWS_WITH(write_store(world, file, 0),
                      Contains("there is no tile to write") && Contains("Hint: "));
    CHECK_THROWS_WITH(write_store(world, folder.path() / "none" / "tiles.h5", 3),
                      Contains("there is no folder") && Contains("Hint: mkdir -p"));
    CHECK_THROWS_WITH(write_store(world, "/proc/tiles.h5", 3), Contains("cannot write"));
    Part mine = part(tiles_of(world, 5));
    const bool last = index(world.rank()) == world.size() - 1;
    StoreHeader wrong = header();
    if (last) wrong.numbers["pixels"] = 3;
    CHECK_THROWS_WITH(write_tile_store(world, file, wrong, mine.records, mine.pixels),
                      Contains("'pixels' cannot be a key"));
    if (last) mine.pixels.emplace_back();
    CHECK_THROWS_WITH(write_tile_store(world, file, header(), mine.records, mine.pixels),
                      Contains("do not make"));
    if (last) mine.pixels.pop_back();
    if (world.is_root()) mine.pixels.at(3) = 3;
    CHECK_THROWS_WITH(write_tile_store(world, file, header(), mine.records, mine.pixels),
                      Contains("a class above 2"));
    world.barrier();  // the root has removed what it began
    CHECK(names_in(folder.path()).empty());
}

TEST_CASE("an existing store stays when writing its successor fails") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-kept");
    const fs::path file = folder.path() / "tiles.h5";
    write_store(world, file, 5);
    CHECK_THROWS(write_store(world, file, 0));
    CHECK(holds(TileStore::open(world, file), 5));
}

TEST_CASE("files that are no tile store are named as what they are") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-foreign");
    const fs::path good = folder.path() / "good.h5", bad = folder.path() / "bad.h5";
    write_store(world, good, 9);
    const auto message_of = [&](auto&& make) {
        world.barrier();
        comm::on_root(world, [&] { make(); });
        try {
            static_cast<void>(TileStore::open(world, bad));
        } catch (const AgreedError& e) {
            return std::string(e.what());
        }
        return std::string("opened");
    };
    CHECK_THAT(message_of([] {}), Contains("there is no file") && Contains("Hint: "));
    CHECK_THAT(message_of([&] { std::ofstream(bad) << "civitas tiles, or so it says"; }),
               Contains("is not an HDF5 file"));
    CHECK_THAT(message_of([&] {
                   fs::copy_file(good, bad, fs::copy_options::overwrite_existing);
                   fs::resize_file(bad, fs::file_size(bad) * 2 / 3);
               }),
               Contains("truncated file") && Contains("copy or make it again"));
    CHECK_THAT(message_of([&] {
                   auto h5 = hdf5::H5File::create(bad);
                   h5.create_dataset({"/tiles", hdf5::ElementType::u8, {1, 2, 2}});
                   h5.close();
               }),
               Contains("is no tile store but another HDF5 file") && Contains("Hint: civitas-pre"));
    CHECK_THAT(message_of([&] { write_marks(bad, "civitas checkpoint", 1); }),
               Contains("its format is 'civitas checkpoint'"));
    CHECK_THAT(message_of([&] { write_marks(bad, "civitas tiles", 9); }),
               Contains("version 9") && Contains("reads 1"));
    CHECK_THAT(message_of([&] { write_marks(bad, "civitas tiles", 1); }),
               Contains("was never finished") && Contains("make the tiles again"));
}

TEST_CASE("a damaged tile is found when it is read, on whichever rank reads it") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-damaged");
    const fs::path file = folder.path() / "tiles.h5";
    write_store(world, file, 9);
    world.barrier();
    comm::on_root(world, [&] {
        damage(file, hdf5::H5File::open(file).row_chunks("/tiles").at(7).offset + 8);
    });
    const TileStore store = TileStore::open(world, file);
    std::vector<std::uint8_t> pixels(area);
    CHECK_NOTHROW(store.read(TileIndex{6}, pixels));
    CHECK_THROWS_WITH(store.read(TileIndex{7}, pixels),
                      Contains("tile 7 is damaged") && Contains("Hint: "));
    world.barrier();
    comm::on_root(world, [&] {
        damage(file, hdf5::H5File::open(file).row_chunks("/tiles").at(0).offset + 8);
    });
    CHECK_THROWS_WITH(TileStore::open(world, file), Contains("damaged or packed otherwise"));
}

TEST_CASE("a full disk is everybody's error and leaves nothing") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-full");
    const test::FileSizeLimit small(9000);
    CHECK_THROWS_WITH(write_store(world, folder.path() / "tiles.h5", 400),
                      Contains("File too large") && Contains("Hint: free"));
    world.barrier();  // the root has removed what it began
    CHECK(names_in(folder.path()).empty());
}
