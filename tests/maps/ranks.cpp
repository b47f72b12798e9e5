// Any number of ranks makes the tiles that one rank makes alone, in the same order.
#include "made_map.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;

namespace {

/// Two communes, so that two ranks read; overlapping tiles, a variance quantile.
Settings communes() {
    const auto folder = real_maps() + "/ch_lcsf_derived/";
    Settings settings;
    settings.inputs = {folder + "lcsf_449_sauge_be.gpkg", folder + "lcsf_2549_kammersrohr_so.gpkg"};
    settings.output = "unused.h5";
    settings.stride_metres = 125;
    settings.pixels = 64;
    settings.min_building = 0.02;
    settings.variance_quantile = 0.3;
    return settings;
}

}  // namespace

TEST_CASE("any number of ranks makes the same tiles") {
    if (real_maps().empty()) return;
    const auto world = comm::Communicator::world();
    Log log(Rank{1});
    const auto mine = make_tiles(world, communes(), log);
    const auto records = world.all_gather(std::span<const data::TileRecord>(mine.records));
    const auto pixels = world.all_gather(std::span<const std::uint8_t>(pixels_of(mine)));
    bool agrees = true;
    if (world.is_root()) {
        const auto alone = tiles_of(communes());
        CHECK(alone.records.size() > 20);
        agrees = pixels == pixels_of(alone) && mine.header.dropped == alone.header.dropped &&
                 mine.header.numbers == alone.header.numbers &&
                 std::equal(records.begin(), records.end(), alone.records.begin(),
                            alone.records.end(), same);
    }
    REQUIRE_ALL(world, agrees);
}
