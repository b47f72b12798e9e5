// Any number of ranks makes the tiles that one rank makes alone, in the same order.
#include "civitas/base/text.hpp"
#include "made_map.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::SharedFolder;

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

bool same(const Tiles& a, const Tiles& b) {
    return a.tiles == b.tiles && a.header.dropped == b.header.dropped &&
           a.header.numbers == b.header.numbers &&
           std::equal(a.records.begin(), a.records.end(), b.records.begin(), b.records.end(),
                      [](const auto& x, const auto& y) { return maps::test::same(x, y); });
}

/// A village of houses and roads in two maps, so that two ranks read.
void write_village(const std::filesystem::path& folder) {
    MadeLayer houses{.features = {}}, roads{.features = {}};
    for (int i = 0; i < 40; ++i) {
        houses.features.push_back(
            {"Gebaeude", rectangle(25 * (i % 8) + i % 3, 40 * (i / 8) + i % 5, 12 + i % 4, 14)});
        roads.features.push_back({"Strasse_Weg", rectangle(0, 40 * (i / 8) + 22, 200, 5)});
    }
    write_map(folder / "houses.gpkg", {houses});
    write_map(folder / "roads.gpkg", {roads});
}

/// Many small tiles that overlap.
Settings village(const std::filesystem::path& folder) {
    auto settings = keep_all({folder / "houses.gpkg", folder / "roads.gpkg"});
    settings.tile_metres = 20;
    settings.stride_metres = 2;
    settings.pixels = 16;
    settings.min_building = 0.1;
    settings.min_road = 0.05;
    settings.variance_quantile = 0.1;
    return settings;
}

/// A square with slanted sides as a ring.
std::string ring(double x, double y, double side, double slant) {
    const auto corner = [&](double east, double north) {
        return text(std::fixed, 2600000 + x + east, ' ', 1200000 + y + north);
    };
    return text('(', corner(slant, 0), ',', corner(side, slant), ',', corner(side - slant, side),
                ',', corner(0, side - slant), ',', corner(slant, 0), ')');
}

std::string polygon(const std::vector<std::string>& rings) {
    return text("POLYGON(", join(rings, ","), ')');
}

/// Streets around blocks of which some are larger than a tile: first as one polygon, then one by
/// one.
void write_streets(const std::filesystem::path& folder) {
    constexpr int blocks = 20;
    constexpr double pitch = 30, width = 2;
    MadeLayer apart{.features = {}};
    std::vector<std::string> rings{ring(0, 0, blocks * pitch, 0)};
    for (int i = 0; i < blocks * blocks; ++i) {
        const double x = pitch * (i % blocks), y = pitch * (i / blocks);
        rings.push_back(ring(x + width, y + width, pitch - width - i % 5, i % 4));
        apart.features.push_back({"Strasse_Weg", polygon({ring(x, y, pitch, 0), rings.back()})});
    }
    write_map(folder / "apart.gpkg", {apart});
    write_map(folder / "one.gpkg", {{.features = {{"Strasse_Weg", polygon(rings)}}}});
}

}  // namespace

TEST_CASE("streets as one polygon with many holes are those of many polygons, on all ranks") {
    const auto world = comm::Communicator::world();
    const SharedFolder folder(world, "streets");
    if (world.is_root()) write_streets(folder.path());
    world.barrier();
    const auto made = [&](const comm::Communicator& ranks, const char* map) {
        auto settings = keep_all({folder.path() / map});
        settings.tile_metres = settings.stride_metres = 20;
        settings.pixels = 20;
        return tiles_of(ranks, settings);
    };
    const auto one = made(world, "one.gpkg"),
               apart = made(comm::Communicator::self(), "apart.gpkg");
    CHECK(one.records.size() == 900);
    CHECK(one.header.numbers.at("road_polygons_m2") ==
          Approx(apart.header.numbers.at("road_polygons_m2")).epsilon(1e-6));
    REQUIRE_ALL(world, one.tiles == apart.tiles);
}

TEST_CASE("a rank holds few tiles at a time, and any number of ranks makes the same") {
    const auto world = comm::Communicator::world();
    const SharedFolder folder(world, "village");
    if (world.is_root()) write_village(folder.path());
    world.barrier();
    const auto settings = village(folder.path());
    const auto together = tiles_of(world, settings);
    const auto alone = tiles_of(settings);
    const auto most = most_tiles_held(settings.pixels);
    CHECK(most <= 256);
    CHECK(std::ssize(alone.tiles) > 6 * most);  // more than all ranks hold
    CHECK(std::ssize(alone.tiles) == alone.announced);
    CHECK(alone.header.dropped.at("tiles below the variance quantile") > 100);
    CHECK(alone.header.dropped.at("tiles across train and test ground") > 100);
    CHECK(together.most_held <= most);
    CHECK(alone.most_held <= most);
    REQUIRE_ALL(world, same(together, alone));
}

TEST_CASE("what is far from the rest of a map is so for all ranks that read parts of it") {
    const auto world = comm::Communicator::world();
    const SharedFolder folder(world, "sheets");
    if (world.is_root()) {
        write_village(folder.path());
        MadeLayer more{.features = {{"Gebaeude", rectangle(70e3, 0, 9, 9)}}};
        for (int i = 0; i < 20; ++i)
            more.features.push_back({"Gebaeude", rectangle(25 * i, 220, 12, 14)});
        write_map(folder.path() / "more.gpkg", {more});
    }
    world.barrier();
    auto settings = keep_all({folder.path()});
    settings.keep_edge = false;
    settings.tile_metres = settings.stride_metres = 20;
    settings.pixels = 20;
    const auto together = tiles_of(world, settings);
    const auto alone = tiles_of(settings);
    CHECK(alone.header.dropped.at("features far from the rest of the map") == 1);
    REQUIRE_ALL(world, same(together, alone));
}

TEST_CASE("any number of ranks makes the same tiles") {
    if (real_maps().empty()) return;
    const auto world = comm::Communicator::world();
    const auto together = tiles_of(world, communes());
    const auto alone = tiles_of(communes());
    CHECK(alone.records.size() > 20);
    REQUIRE_ALL(world, same(together, alone));
}
