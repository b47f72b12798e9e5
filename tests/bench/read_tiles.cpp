// Tiles per second by ranks and threads: plain HDF5 (one H5Dread per tile), our own reading, and
// the loader, which also encodes. Every figure is the median of alternating rounds.
//     mpirun -n 4 --bind-to none bench_read_tiles [tiles.h5 [net pixels]]
#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/median.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/random/stream.hpp"

#include "support/shared_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>

using namespace civitas;
using namespace civitas::data;
using comm::Communicator;

namespace {

constexpr int rounds = 5;
constexpr std::int64_t micro_batch = 16;

/// A tile with streets and a few dozen houses, so that it shrinks about as maps do.
void draw_town(std::uint64_t tile, std::int64_t side, std::span<std::uint8_t> pixels) {
    const RandomStream random(Seed{1}, Purpose::survey, {tile, 0});
    std::uint64_t drawn = 0;
    const auto below = [&](std::int64_t bound) {
        return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound), drawn++));
    };
    const auto fill = [&](std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h,
                          LandClass c) {
        for (std::int64_t v = y; v < std::min(side, y + h); ++v)
            for (std::int64_t u = x; u < std::min(side, x + w); ++u)
                pixels[static_cast<std::size_t>(v * side + u)] = static_cast<std::uint8_t>(c);
    };
    for (int house = 0; house < 40; ++house)
        fill(below(side), below(side), 8 + below(12), 8 + below(12), LandClass::building);
    for (int street = 0; street < 3; ++street) {
        fill(below(side), 0, 8, side, LandClass::road);
        fill(0, below(side), side, 8, LandClass::road);
    }
}

void write_town(const Communicator& ranks, const std::filesystem::path& file) {
    constexpr std::int64_t tiles = 600, side = 256;
    const Range mine = block_range(tiles, index(ranks.rank()), ranks.size());
    std::vector<TileRecord> records(static_cast<std::size_t>(mine.count));
    std::vector<std::uint8_t> pixels(records.size() * side * side);
    for (std::size_t i = 0; i < records.size(); ++i)
        draw_town(static_cast<std::uint64_t>(mine.begin) + i, side,
                  std::span(pixels).subspan(i * side * side, side * side));
    write_tile_store(ranks, file, {.pixels = side}, records, pixels);
}

/// Seconds that the slowest rank of a group takes.
template <class Work>
double timed(const Communicator& group, Work&& work) {
    group.barrier();
    const Stopwatch watch;
    work();
    return group.max(watch.seconds());
}

struct Case {
    const TileStore& store;
    const hdf5::H5File& h5;
    std::int64_t net_pixels;
    Range mine;  ///< rows of this rank
};

void read_plain(const Case& c) {
    for (std::int64_t row = c.mine.begin; row < c.mine.end(); ++row)
        static_cast<void>(c.h5.read_rows<std::uint8_t>("/tiles", {row, 1}));
}

void read_ours(const Case& c, int threads) {
    std::vector<std::jthread> team;
    team.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&c, t, threads] {
            const auto side = static_cast<std::size_t>(c.store.header().pixels);
            std::vector<std::uint8_t> pixels(side * side);
            const Range part = block_range(c.mine.count, t, threads);
            for (std::int64_t i = part.begin; i < part.end(); ++i)
                c.store.read(TileIndex{c.mine.begin + i}, pixels);
        });
}

void load(const Case& c, int threads) {
    Loader loader(c.store,
                  {.net_pixels = c.net_pixels, .micro_batch = micro_batch, .threads = threads},
                  [](std::int64_t i) { return Sample{i * micro_batch}; });
    for (std::int64_t i = 0; i < c.mine.count / micro_batch; ++i) static_cast<void>(loader.next());
}

void measure(const Communicator& group, const Case& c, int threads) {
    std::vector<double> plain, ours, loaded;
    for (int round = 0; round < rounds; ++round) {
        plain.push_back(timed(group, [&] { read_plain(c); }));
        ours.push_back(timed(group, [&] { read_ours(c, threads); }));
        loaded.push_back(timed(group, [&] { load(c, threads); }));
    }
    const auto tiles = static_cast<double>(c.store.size());
    if (group.is_root())
        std::printf("%5d %7d %12.0f %12.0f %8.2f %14.0f\n", group.size(), threads,
                    tiles / median(plain), tiles / median(ours), median(plain) / median(ours),
                    tiles / median(loaded));
}

Exit bench(int argc, char** argv) {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "bench");
    const std::filesystem::path file = argc > 1 ? argv[1] : folder.path() / "town.h5";
    if (argc < 2) write_town(world, file);
    const TileStore store = TileStore::open(world, file);
    const hdf5::H5File h5 = hdf5::H5File::open(file);
    const std::int64_t net = argc > 2 ? std::stol(argv[2]) : store.header().pixels / 4;
    if (world.is_root())
        std::printf(
            "%ld tiles of %ld pixels, %.0f bytes a tile stored, loader to %ld pixels\n"
            "ranks threads  HDF5 tiles/s ours tiles/s   ratio loader tiles/s\n",
            store.size(), store.header().pixels,
            static_cast<double>(std::filesystem::file_size(file)) /
                static_cast<double>(store.size()),
            net);
    for (int ranks = 1; ranks <= world.size(); ranks *= 2) {
        const int me = index(world.rank());
        const Communicator group = world.split(me < ranks ? 0 : 1, me);
        if (me < ranks)
            for (const int threads : {1, 2, 4})
                measure(group, {store, h5, net, block_range(store.size(), me, ranks)}, threads);
        world.barrier();
    }
    return Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
    return comm::run_session(argc, argv, [&] { return bench(argc, argv); });
}
