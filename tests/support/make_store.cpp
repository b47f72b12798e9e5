// make_store FILE TILES PIXELS [METRES [LABELS]]: a small tile store of streets and houses by
// formula, for tests of the programs. Every tenth tile is a test tile. With labels, tiles have so
// many classes, which no pixel shows.
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/random/stream.hpp"

#include <cstdlib>

using namespace civitas;

namespace {

struct Size {
    std::int64_t tiles;
    std::int64_t pixels;
    double metres;
    std::int64_t labels;
};

std::uint8_t class_at(const RandomStream& town, std::uint64_t tile, std::uint64_t x,
                      std::uint64_t y) {
    const std::uint64_t block = 16 + town.below(16, tile);
    const std::uint64_t i = (x + town.below(16, tile + 1000)) % block;
    const std::uint64_t j = (y + town.below(16, tile + 2000)) % block;
    if (i < 4 || j < 4) return static_cast<std::uint8_t>(LandClass::road);
    const bool house = i > 5 && i < block - 4 && j > 5 && j < 12;
    return static_cast<std::uint8_t>(house ? LandClass::building : LandClass::other);
}

Exit write(const std::string& file, Size size) {
    data::StoreHeader header;
    header.crs_epsg = 2056;
    header.pixels = size.pixels;
    header.tile_metres = size.metres;
    header.licence = "synthetic";
    header.command = "make_store";
    header.sources = {{"formula", ""}};
    for (std::int64_t label = 0; label < size.labels; ++label)
        header.label_names.push_back("class-" + std::to_string(label));
    const RandomStream town(Seed{1}, Purpose::survey, {});
    std::vector<data::TileRecord> records(static_cast<std::size_t>(size.tiles));
    std::vector<std::uint8_t> pixels;
    for (std::size_t t = 0; t < records.size(); ++t) {
        records[t].split = t % 10 == 9 ? data::Split::test : data::Split::train;
        if (size.labels > 0)
            records[t].label =
                static_cast<std::uint16_t>(t % static_cast<std::size_t>(size.labels));
        records[t].easting = 250.0 * static_cast<double>(t);
        const auto side = static_cast<std::uint64_t>(size.pixels);
        for (std::uint64_t k = 0; k < side * side; ++k)
            pixels.push_back(class_at(town, t, k % side, k / side));
    }
    data::write_tile_store(comm::Communicator::self(), file, header, records, pixels);
    return Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4 || argc > 6) return 2;
    return comm::run_session(argc, argv, [=] {
        return write(argv[1],
                     {std::atoll(argv[2]), std::atoll(argv[3]),
                      argc > 4 ? std::atof(argv[4]) : 250.0, argc > 5 ? std::atoll(argv[5]) : 0});
    });
}
