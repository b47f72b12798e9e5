#include "civitas/data/tile_cache.hpp"
#include "made_images.hpp"

#include <algorithm>
#include <thread>

using namespace civitas;
using namespace civitas::data;
using namespace civitas::data::test_stores;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t area = side * side;

/// A cache for threads in the place of ranks.
class Cached {
public:
    explicit Cached(std::int64_t tiles)
        : memory_(static_cast<std::size_t>(TileCache::bytes_for(tiles, area)) / 8 + 1),
          cache_(std::as_writable_bytes(std::span(memory_)), tiles, area) {}
    [[nodiscard]] TileCache& operator*() { return cache_; }
    [[nodiscard]] TileCache* operator->() { return &cache_; }

private:
    std::vector<std::uint64_t> memory_;
    TileCache cache_;
};

/// A store of some tiles that all ranks open.
TileStore made(const Communicator& world, const fs::path& file, std::int64_t tiles) {
    comm::agree(world, [&] {
        if (world.is_root()) write_alone(file, tiles);
    });
    return TileStore::open(world, file);
}

/// What reading a tile ends with.
std::string words_of(const TileStore& store, TileIndex tile) {
    std::vector<std::uint8_t> pixels(area);
    try {
        store.read(tile, pixels);
    } catch (const Error& e) {
        return e.what();
    }
    return "read";
}

}  // namespace

TEST_CASE("of threads that want the same tiles one reads each, and all have it") {
    constexpr std::int64_t tiles = 97;
    constexpr int threads = 4;
    Cached cache(tiles);
    std::vector<std::atomic<int>> reads(tiles);
    std::atomic<int> right = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < threads; ++i)
        readers.emplace_back([&, i] {
            std::vector<std::uint8_t> pixels(area);
            for (std::int64_t n = 0; n < tiles; ++n) {
                const std::int64_t tile = i % 2 == 0 ? n : tiles - 1 - n;
                cache->get(TileIndex{tile}, pixels, [&] {
                    ++reads[static_cast<std::size_t>(tile)];
                    std::this_thread::yield();
                    std::ranges::copy(pixels_of(tile), pixels.begin());
                });
                right += pixels == pixels_of(tile) ? 1 : 0;
            }
        });
    for (std::thread& reader : readers) reader.join();
    for (const auto& times : reads) CHECK(times == 1);
    CHECK(right == threads * tiles);
    CHECK(cache->reads() == tiles);
    CHECK(cache->found() == (threads - 1) * tiles);
}

TEST_CASE("who fails to read a tile leaves it to the one who waits for it") {
    Cached cache(2);
    std::vector<std::uint8_t> mine(area), other(area);
    std::thread waiting;
    CHECK_THROWS_WITH(cache->get(TileIndex{1}, mine,
                                 [&] {
                                     waiting = std::thread([&] {
                                         cache->get(TileIndex{1}, other, [&] {
                                             std::ranges::copy(pixels_of(1), other.begin());
                                         });
                                     });
                                     std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                     throw Error("no such file");
                                 }),
                      "no such file");
    waiting.join();
    CHECK(other == pixels_of(1));
    CHECK(cache->reads() == 1);
    cache->get(TileIndex{1}, mine, [] { throw Error("nobody reads it again"); });
    CHECK(mine == pixels_of(1));
    CHECK(cache->found() == 1);
}

TEST_CASE("ranks of a machine read each tile of a store once, and see what is stored") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "tile_cache");
    TileStore store = made(world, folder.path() / "tiles.h5", 40);
    const fs::path told = folder.path() / text("log-", index(world.rank()));
    Log log(world.rank());
    log.open(told);
    {
        const SharedTiles shared(world, store, log);
        CHECK(holds(store, 40));
        CHECK(holds(store, 40));
        shared.tell(world, 2, log);
        world.barrier();
    }
    CHECK(holds(store, 40));  // without it again
    if (world.size() == 1) {
        CHECK(fs::file_size(told) == 0);
    } else {
        CHECK_THAT(test::content(told),
                   Contains(text("tiles were read 40 times for 2 members, and ",
                                 80 * world.size() - 40, " times taken")));
    }
    world.barrier();
}

TEST_CASE(
    "a damaged tile is the same error for each rank that wants it, with a cache and without") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "damaged_tile");
    const fs::path file = folder.path() / "tiles.h5";
    TileStore store = made(world, file, 12);
    comm::on_root(world, [&] {
        for (const std::size_t tile : {3, 7})
            flip(file, hdf5::H5File::open(file).row_chunks("/tiles").at(tile).offset + 8);
    });
    std::vector<std::string> alone;
    for (std::int64_t tile = 0; tile < 12; ++tile)
        alone.push_back(words_of(store, TileIndex{tile}));
    CHECK_THAT(alone.at(7), Contains("tile 7 is damaged"));
    CHECK(std::count(alone.begin(), alone.end(), "read") == 10);
    Log log(world.rank());
    const SharedTiles shared(world, store, log);
    for (std::int64_t tile = 0; tile < 12; ++tile)
        CHECK(words_of(store, TileIndex{tile}) == alone[static_cast<std::size_t>(tile)]);
    world.barrier();
}

TEST_CASE("images are shared as tiles are, three bytes a pixel") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "image_cache");
    write_images(world, folder.path() / "images.h5", 10);
    TileStore store = TileStore::open(world, folder.path() / "images.h5");
    Log log(world.rank());
    log.open(folder.path() / text("log-", index(world.rank())));
    const SharedTiles shared(world, store, log);
    for (int again = 0; again < 2; ++again)
        for (std::int64_t t = 0; t < 10; ++t) {
            std::vector<std::uint8_t> bytes(image_bytes);
            store.read(TileIndex{t}, bytes);
            CHECK(bytes == image_of(t));
        }
    world.barrier();
}

TEST_CASE("where shared memory has no room each rank reads for itself, and that is told") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "no_room");
    TileStore store = made(world, folder.path() / "tiles.h5", 9);
    const fs::path told = folder.path() / text("log-", index(world.rank()));
    Log log(world.rank());
    log.open(told);
    const SharedTiles shared(world, store, log, folder.path() / "nowhere");
    CHECK(holds(store, 9));
    shared.tell(world, 2, log);
    const std::string words = test::content(told);
    if (world.is_root() && world.size() > 1) {
        CHECK_THAT(words, Contains("each rank reads tiles for itself") &&
                              Contains("would take 0.0 MB, half of the room in") &&
                              Contains("is 0.0 MB. Hint: more room there"));
    } else {
        CHECK(words.empty());
    }
    world.barrier();
}
