// Seconds and memory that opening a large store takes: 656 000 tiles, Switzerland at 250 m. The
// tiles are alike, so the file is small; its index is as long as that of real ones.
//     bench_open_store [TILES [store.h5]]
#include "civitas/base/clock.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/data/store_writer.hpp"

#include "support/shared_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

using namespace civitas;
using namespace civitas::data;
using comm::Communicator;

namespace {

constexpr std::int64_t side = 256;

void write_large(const Communicator& ranks, const std::filesystem::path& file, std::int64_t tiles) {
    const std::vector<PackedTile> packed(
        4096, pack(std::vector<std::uint8_t>(static_cast<std::size_t>(side * side), 1)));
    const std::vector<TileRecord> records(packed.size());
    StoreWriter writer(ranks, file, {.pixels = side}, tiles);
    for (std::int64_t done = 0; done < tiles;) {
        const auto batch = ranks.is_root() ? std::min<std::int64_t>(tiles - done, 4096) : 0;
        writer.append(std::span(records).first(static_cast<std::size_t>(batch)),
                      std::span(packed).first(static_cast<std::size_t>(batch)));
        done += ranks.broadcast(batch);
    }
    writer.close();
}

/// A line of /proc/self/status, in MB.
double megabytes_of(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (double kilobytes = 0; word == name && status >> kilobytes) return kilobytes / 1000;
    return 0;
}

Exit bench(int argc, char** argv) {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "bench-open");
    const std::int64_t tiles = argc > 1 ? std::stol(argv[1]) : 656'000;
    const std::filesystem::path file = argc > 2 ? argv[2] : folder.path() / "large.h5";
    if (!std::filesystem::exists(file)) write_large(world, file, tiles);
    world.barrier();
    const double before = megabytes_of("VmRSS:");
    if (world.is_root()) std::ofstream("/proc/self/clear_refs") << 5;  // the peak from here on
    const Stopwatch watch;
    const TileStore store = TileStore::open(world, file);
    const double seconds = watch.seconds();
    if (world.is_root())
        std::printf(
            "%ld tiles of %.0f MB opened by %d ranks in %.2f s, root: %.0f MB more, "
            "at most %.0f MB more\n",
            store.size(), static_cast<double>(std::filesystem::file_size(file)) / 1e6, world.size(),
            seconds, megabytes_of("VmRSS:") - before, megabytes_of("VmHWM:") - before);
    return Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
    return comm::run_session(argc, argv, [&] { return bench(argc, argv); });
}
