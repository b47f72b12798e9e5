// Features that lie far from all others, or are absurdly large, spoil no map.
#include "made_town.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;

namespace {

const std::string reason = "features far from the rest of the map";
constexpr const char* by_hull =
    "tiles cut by the edge of the data (the convex hull of its buildings and roads)";

Settings named(std::vector<std::string> inputs) {
    auto settings = dropping("");
    settings.inputs = std::move(inputs);
    settings.buildings = "houses";
    settings.roads = "streets";
    return settings;
}

/// Eight houses and a street, so far in the east.
MadeLayer hamlet(double east) {
    auto layer = houses(100, east);
    layer.features.resize(4);
    return layer;
}

}  // namespace

TEST_CASE("one vertex far away costs its feature") {
    const TemporaryFolder folder("giant");
    auto layer = houses(600);
    layer.features.push_back(
        {"house", "POLYGON((2600000 1200000, 2600020 1200000, 2800000 1200020, 2600000 1200000))"});
    auto settings = keep_all({write_map(folder.path() / "g.gpkg", {layer, streets(600)})});
    settings.buildings = "houses";
    settings.roads = "streets";
    settings.min_building = 0.01;
    const auto tiles = tiles_of(settings);
    CHECK(tiles.records.size() == 9);
    CHECK(tiles.header.dropped.at("areas absurdly larger than the rest of the map") == 1);
}

TEST_CASE("a long road is no giant, one with a vertex far away is") {
    const TemporaryFolder folder("motorway");
    const auto town = [&](const std::string& name, const std::string& road) {
        auto roads = streets(600);
        if (!road.empty()) roads.features.push_back({"motorway", text("LINESTRING(", road, ')')});
        auto settings = keep_all({write_map(folder.path() / name, {houses(600), roads})});
        settings.buildings = "houses";
        settings.roads = "streets";
        settings.min_building = 0.01;
        return tiles_of(settings);
    };
    const std::string reason = "areas absurdly larger than the rest of the map";
    const auto alone = town("alone.gpkg", "");
    std::string motorway = "2600000 1200035";
    for (int i = 1; i <= 10; ++i)
        motorway += text(", ", 2600000 + 8000 * i, ' ', 1200035 + i % 2 * 100);
    const auto with = town("long.gpkg", motorway);
    CHECK(with.header.dropped.count(reason) == 0);
    CHECK(with.records.size() == alone.records.size());
    CHECK(pixels_of(with, LandClass::road) > pixels_of(alone, LandClass::road));
    const auto stray = town("stray.gpkg", "2600000 1200035, 2600300 1200035, 2680000 1200035");
    CHECK(stray.header.dropped.at(reason) == 1);
    CHECK(stray.tiles == alone.tiles);
}

TEST_CASE("a building far from all others is left out, of the hull as well") {
    const TemporaryFolder folder("stray");
    const auto with = [&](std::size_t strays, double east) {
        auto layer = houses(600);
        for (std::size_t i = 0; i < strays; ++i)
            layer.features.push_back(
                {"house", rectangle(east + 50 * static_cast<double>(i), 0, 20, 20)});
        auto settings = dropping(
            write_map(folder.path() / text(strays, '-', east, ".gpkg"), {layer, streets(600)}));
        settings.buildings = "houses";
        settings.roads = "streets";
        return tiles_of(settings);
    };
    const auto alone = with(0, 0);
    CHECK(alone.header.dropped.count(reason) == 0);
    for (const double east : {-95e3, 25e3, 150e3}) {
        INFO(east);
        const auto stray = with(1, east);
        CHECK(stray.header.dropped.at(reason) == 1);
        CHECK(stray.header.dropped.at(by_hull) == alone.header.dropped.at(by_hull));
        CHECK(stray.tiles == alone.tiles);
    }
    CHECK(with(1, 9e3).header.dropped.count(reason) == 0);   // it may be a farm
    CHECK(with(2, 25e3).header.dropped.count(reason) == 0);  // more than one in a hundred
}

TEST_CASE("what is far is far from all inputs") {
    const TemporaryFolder folder("far inputs");
    const auto buildings = joined(houses(600), houses(600, 25e3));
    auto roads = streets(600);
    for (int i = 0; i < 10; ++i) roads = joined(roads, streets(600));  // many
    roads.features.push_back({"street", rectangle(25e3, 300, 600, 4)});
    const auto apart = tiles_of(named({write_map(folder.path() / "h.gpkg", {buildings}),
                                       write_map(folder.path() / "s.gpkg", {roads})}));
    CHECK(apart.header.dropped.count(reason) == 0);
    CHECK(apart.tiles ==
          tiles_of(named({write_map(folder.path() / "both.gpkg", {buildings, roads})})).tiles);
}

TEST_CASE("small groups of which a map is made are not far from the rest") {
    const TemporaryFolder folder("scattered");
    MadeLayer buildings = hamlet(0), roads = streets(100);
    for (int i = 1; i < 150; ++i) {
        buildings = joined(buildings, hamlet(30e3 * i));
        roads = joined(roads, streets(100, 30e3 * i));
    }
    for (auto* layer : {&buildings, &roads}) layer->epsg = 3035;
    auto settings = named({write_map(folder.path() / "s.gpkg", {buildings, roads})});
    settings.tile_metres = settings.stride_metres = 50;
    CHECK(tiles_of(settings).header.dropped.count(reason) == 0);
}

TEST_CASE("a hamlet at the end of a long road is not far from the rest") {
    const TemporaryFolder folder("hamlet");
    const auto with = [&](const std::string& name, const MadeLayer& roads) {
        return tiles_of(
            named({write_map(folder.path() / name, {joined(houses(600), hamlet(28e3)), roads})}));
    };
    CHECK(with("alone.gpkg", streets(600)).header.dropped.count(reason) == 0);  // 4 of 148
    auto town = streets(600);
    for (int i = 0; i < 40; ++i) town = joined(town, streets(600));
    CHECK(with("far.gpkg", town).header.dropped.at(reason) == 4);
    town.features.push_back({"street", rectangle(300, 100, 28e3, 4)});
    CHECK(with("road.gpkg", town).header.dropped.count(reason) == 0);
    // No corner of a box around a slanted road need lie on it.
    town.features.back().wkt =
        "POLYGON((2628000 1171000, 2600300 1200100, 2600300 1200104, 2628000 1171004, "
        "2628000 1171000))";
    CHECK(with("slanted.gpkg", town).header.dropped.at(reason) == 4);
}

TEST_CASE("an outline may be larger than what lies in it") {
    const TemporaryFolder folder("country");
    const MadeLayer country{
        "country", "kind", OFTString, 2056, {{"all", rectangle(-100e3, -50e3, 200e3, 90e3)}}};
    auto settings =
        named({write_map(folder.path() / "t.gpkg", {houses(600), streets(600), country})});
    settings.outline = "country";
    CHECK(tiles_of(settings).records.size() == 9);
}
