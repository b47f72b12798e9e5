// Where maps lie, and in which system, as far as they say so.
#include "made_map.hpp"
#include "preprocess/maps/crs.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// Land cover in degrees: a house of so many degrees a side at each place.
MadeLayer in_degrees(const std::vector<Place>& places, double side = 1e-3) {
    MadeLayer layer;
    layer.epsg = 4326;
    for (const auto& [x, y] : places)
        layer.features.push_back(
            {"Gebaeude", text("POLYGON((", x, ' ', y, ',', x + side, ' ', y, ',', x + side, ' ',
                              y + side, ',', x, ' ', y, "))")});
    return layer;
}

}  // namespace

TEST_CASE("a zone is that of the map, not of one stray feature") {
    const TemporaryFolder folder("zone");
    MadeLayer layer;
    layer.epsg = 4326;
    const auto house = [](double x, double y) {
        const auto at = [&](double dx, double dy) { return text(x + dx, ' ', y + dy); };
        return text("POLYGON((", at(0, 0), ',', at(2e-4, 0), ',', at(2e-4, 2e-4), ',', at(0, 0),
                    "))");
    };
    for (int i = 0; i < 120; ++i)
        layer.features.push_back({"Gebaeude", house(9.5 + 5e-4 * (i % 12), 47 + 5e-4 * (i / 12))});
    const auto alone =
        tiles_of(keep_all({write_map(folder.path() / "a.geojson", {layer}, "GeoJSON")}));
    layer.features.push_back({"Gebaeude", house(0, 0)});
    const auto with =
        tiles_of(keep_all({write_map(folder.path() / "s.geojson", {layer}, "GeoJSON")}));
    CHECK(with.header.crs_epsg == 32632);
    CHECK(with.tiles == alone.tiles);
}

TEST_CASE("an extract of OpenStreetMap need not say where it is, and is under its licence") {
    const TemporaryFolder folder("overpass");
    std::ofstream file(folder.path() / "town.osm");
    file << R"(<osm version="0.6">)";
    constexpr std::array corners{Place{7.5, 47}, Place{7.501, 47}, Place{7.501, 47.001},
                                 Place{7.5, 47.001}};
    for (std::size_t i = 0; i < corners.size(); ++i)
        file << text("<node id=\"", i + 1, "\" lat=\"", corners[i].y, "\" lon=\"", corners[i].x,
                     "\"><tag k=\"name\" v=\"corner\"/></node>");
    file << R"(<way id="9"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="4"/><nd ref="1"/>)"
         << R"(<tag k="building" v="yes"/></way></osm>)";
    file.close();
    auto settings = keep_all({folder.path() / "town.osm"});
    const auto recognised = tiles_of(settings);
    CHECK(recognised.header.crs_epsg == 32632);
    CHECK(pixels_of(recognised, LandClass::building) == Approx(76 * 111).epsilon(0.03));
    settings.buildings = "multipolygons:building IS NOT NULL";
    const auto selected = tiles_of(settings);
    CHECK(selected.tiles == recognised.tiles);
    CHECK_THAT(selected.header.licence, Catch::Contains("Open Database License"));
}

TEST_CASE("an empty layer does not say where the others are") {
    const TemporaryFolder folder("empty first");
    const auto empty = write_map(folder.path() / "a.gpkg", {in_degrees({})});
    const auto full = write_map(folder.path() / "b.gpkg", {in_degrees({{7.5, 47}})});
    CHECK(tiles_of(keep_all({empty, full})).header.crs_epsg == 32632);
    CHECK_THAT(refusal_of(keep_all({empty})), Catch::Contains("does not say where it is"));
}

TEST_CASE("a map that is wider than a zone is not said to be in another system") {
    const TemporaryFolder folder("wide");
    std::vector<Place> places;
    for (int i = 0; i < 90; ++i) places.push_back({-124 + 0.6 * i, 40});
    CHECK_THAT(refusal_of(keep_all({write_map(folder.path() / "w.gpkg", {in_degrees(places)})})),
               Catch::Contains("the map is too wide for one zone: ") &&
                   Catch::Contains("Hint: --crs names a system for all of the country; ogr2ogr "
                                   "-spat WEST SOUTH EAST NORTH part.gpkg "));
}

TEST_CASE("degrees that no system is named for are not taken for metres") {
    const TemporaryFolder folder("no system");
    auto layer = in_degrees({{7.5, 47}});
    layer.epsg = 0;
    auto settings = keep_all({write_map(folder.path() / "d.gpkg", {layer})});
    for (const auto* crs : {"", "EPSG:2056"}) {
        settings.crs = crs;
        CHECK_THAT(refusal_of(settings),
                   Catch::Contains("its numbers look like degrees. Hint: ogr2ogr -a_srs EPSG:4326 "
                                   "mended.gpkg "));
    }
}

TEST_CASE("what other programs leave among maps is passed over") {
    const TemporaryFolder folder("foreign");
    const auto town = in_degrees({{7.5, 47}});
    write_map(folder.path() / "town.gpkg", {town});
    for (const auto* name : {"Thumbs.db", "._town.gpkg"})
        std::ofstream(folder.path() / name) << R"({"title": "no map"})";
    const auto tiles = tiles_of(keep_all({folder.path()}));
    CHECK(tiles.header.sources.size() == 1);
    const TemporaryFolder zipped("foreign zip");
    const auto zip = (zipped.path() / "mac.zip").string();
    write_map("/vsizip/" + zip + "/town.json", {town}, "GeoJSON");
    const auto other = "/vsizip/" + zip + "/__MACOSX/._town.json";
    auto* file = VSIFOpenL(other.c_str(), "wb");
    REQUIRE(file != nullptr);
    CHECK(VSIFWriteL("no map", 6, 1, file) == 1);
    VSIFCloseL(file);
    CHECK(tiles_of(keep_all({zip})).tiles == tiles.tiles);
    std::ofstream(folder.path() / "metadata.json") << R"({"title": "no map"})";
    CHECK_THAT(refusal_of(keep_all({folder.path()})),
               Catch::Contains("metadata.json as a map: ") && Catch::Contains("else leave it out"));
}
