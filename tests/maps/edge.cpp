// Tiles that the edge of the data cuts are told from open land; what was read is what was meant.
#include "preprocess/maps/edge.hpp"
#include "made_town.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;

namespace {

constexpr const char* by_hull =
    "tiles cut by the edge of the data (the convex hull of its buildings and roads)";
constexpr const char* by_cover = "tiles cut by the edge of the data (the end of its land cover)";

Settings town(const TemporaryFolder& folder, double side) {
    auto settings = dropping(write_map(folder.path() / "t.gpkg", {houses(side), streets(side)}));
    settings.buildings = "houses";
    settings.roads = "streets";
    return settings;
}

/// Two inputs: one with its corner so many metres further east than that of the other.
Settings two_inputs(const TemporaryFolder& folder, double east) {
    auto settings = town(folder, 600);
    settings.inputs.push_back(
        write_map(folder.path() / "second.gpkg", {houses(600, east), streets(600, east)}));
    return settings;
}

}  // namespace

TEST_CASE("the convex hull is the smallest convex ring") {
    const auto hull =
        convex_hull({{0, 0}, {4, 0}, {2, 1}, {4, 4}, {0, 4}, {2, 0}, {3, 3}, {0, 0}, {0, 2}});
    CHECK(hull.size() == 4);
    CHECK(convex_hull({{0, 0}, {1, 1}, {2, 2}}).size() < 3);
    CHECK(convex_hull({}).empty());
}

TEST_CASE("tiles that the hull of the data cuts are counted and left out unless asked") {
    const TemporaryFolder folder("hull");
    auto settings = town(folder, 600);  // two tiles and a bit, each way
    const auto tiles = tiles_of(settings);
    CHECK(tiles.records.size() == 4);
    CHECK(tiles.header.dropped.at(by_hull) == 5);
    settings.keep_edge = true;
    CHECK(tiles_of(settings).records.size() == 9);
}

TEST_CASE("the ground between the towns of two inputs is not known") {
    const TemporaryFolder folder("two towns");
    const auto tiles = tiles_of(two_inputs(folder, 2000));
    CHECK(tiles.records.size() == 8);
    CHECK(tiles.header.dropped.at(by_hull) == 10);
}

TEST_CASE("the ground between two sheets of one map is known") {
    const TemporaryFolder folder("two sheets");
    auto settings = two_inputs(folder, 700);
    const auto sheets = tiles_of(settings);
    settings.inputs = {write_map(
        folder.path() / "whole.gpkg",
        {joined(houses(600), houses(600, 700)), joined(streets(600), streets(600, 700))})};
    CHECK(sheets.records.size() == tiles_of(settings).records.size());
}

TEST_CASE("an outline says where the data ends") {
    const TemporaryFolder folder("outline");
    auto settings = town(folder, 600);
    const MadeLayer bounds{"bounds", "kind", OFTString, 2056, {{"all", rectangle(0, 0, 750, 500)}}};
    settings.inputs = {write_map(folder.path() / "o.gpkg", {houses(600), streets(600), bounds})};
    settings.outline = "bounds";
    CHECK(tiles_of(settings).records.size() == 6);
    settings.outline = "bounds:kind = 'none'";
    CHECK_THAT(refusal_of(settings), Catch::Contains("--outline") &&
                                         Catch::Contains("matches no feature of layer bounds"));
}

TEST_CASE("land cover without gaps is its own edge") {
    const TemporaryFolder folder("cover");
    MadeLayer layer;
    layer.features = {{"Gebaeude", rectangle(100, 100, 50, 50)},
                      {"Gebaeude", rectangle(350, 100, 50, 50)},
                      {"Gartenanlage", rectangle(0, 0, 300, 250)}};
    const auto tiles = tiles_of(dropping(write_map(folder.path() / "c.gpkg", {layer})));
    CHECK(tiles.records.size() == 1);
    CHECK(tiles.header.dropped.at(by_cover) == 1);
}

TEST_CASE("where the edge cuts every tile the error says so") {
    const TemporaryFolder folder("all cut");
    CHECK_THAT(refusal_of(town(folder, 200)),
               Catch::Contains("are cut by the edge of the data (the convex hull") &&
                   Catch::Contains("--edge keep"));
}

TEST_CASE("messages name the cause: conditions, swapped layers, systems, unknown words") {
    const TemporaryFolder folder("causes");
    auto lines = streets(600);
    for (auto& feature : lines.features)
        feature.wkt = "LINESTRING(2600000 1200000, 2600600 1200600)";
    auto settings = keep_all({write_map(folder.path() / "t.gpkg", {houses(600), lines})});
    settings.buildings = "houses";
    settings.roads = "streets:kind = 'avenue'";
    CHECK_THAT(refusal_of(settings), Catch::Contains("--roads 'streets:kind = 'avenue'' matches no "
                                                     "feature of layer streets"));
    settings.buildings = "streets";
    settings.roads = "houses";
    CHECK_THAT(refusal_of(settings),
               Catch::Contains("names 13 lines, and buildings are areas; --roads names areas. "
                               "Hint: --buildings houses --roads streets"));
    settings.roads = "houses:kind='house'";
    CHECK_THAT(refusal_of(settings),
               Catch::Contains("--buildings 'houses:kind='\\''house'\\''' --roads streets"));
    MadeLayer degrees;
    degrees.features = {{"Gebaeude", "POLYGON((7.4 46.9, 7.5 46.9, 7.5 47, 7.4 46.9))"}};
    CHECK_THAT(refusal_of(keep_all({write_map(folder.path() / "d.gpkg", {degrees})})),
               Catch::Contains("1 of 1 features lie outside the ground that EPSG:2056") &&
                   Catch::Contains("ogr2ogr -a_srs EPSG:4326"));
    auto unknown = degrees;
    unknown.features = {{"Haus", rectangle(0, 0, 9, 9)}, {"Haus", rectangle(9, 0, 9, 9)}};
    CHECK_THAT(refusal_of(keep_all({write_map(folder.path() / "u.gpkg", {unknown})})),
               Catch::Contains("holds words that are not known: 'Haus' (2)"));
}

TEST_CASE("layers whose names speak get a command that can be pasted") {
    const TemporaryFolder folder("speaking");
    auto roads = streets(600);
    roads.name = "gis_osm_roads_free_1";
    auto buildings = houses(600);
    buildings.name = "gis_osm_buildings_a_free_1";
    CHECK_THAT(refusal_of(keep_all({write_map(folder.path() / "s.gpkg", {buildings, roads})})),
               Catch::Contains("s.gpkg --output unused.h5 --buildings gis_osm_buildings_a_free_1 "
                               "--roads gis_osm_roads_free_1"));
    std::filesystem::create_directory(folder.path() / "my maps");
    std::filesystem::rename(folder.path() / "s.gpkg", folder.path() / "my maps" / "s.gpkg");
    CHECK_THAT(refusal_of(keep_all({folder.path() / "my maps" / "s.gpkg"})),
               Catch::Contains("/my maps/s.gpkg' --output unused.h5"));
}

TEST_CASE("no roads are needed where none are asked for, and ended objects are left out") {
    const TemporaryFolder folder("one sided");
    for (const auto type : {OFTString, OFTDate, OFTDateTime}) {
        INFO(OGRFieldDefn::GetFieldTypeName(type));
        auto layer = houses(600);
        layer.field = "eindRegistratie";
        layer.type = type;
        for (auto& feature : layer.features) feature.value = "9999-12-31";  // that is: it stands
        layer.features[0].value = "2019-01-01";
        layer.features[1].value = "";
        auto settings = keep_all({write_map(folder.path() / text(type, ".gpkg"), {layer})});
        settings.buildings = "houses";
        const auto tiles = tiles_of(settings);
        CHECK(pixels_of(tiles, LandClass::building) == 143 * 400);
        CHECK(tiles.header.dropped.at("objects that have ended") == 1);
        for (auto& feature : layer.features) feature.value = "2019-01-01";
        settings.inputs = {write_map(folder.path() / text(type, "-gone.gpkg"), {layer})};
        CHECK_THAT(refusal_of(settings),
                   Catch::Contains("the maps hold no buildings and no roads that are taken; left "
                                   "out: objects that have ended (144). Hint: "));
    }
}
