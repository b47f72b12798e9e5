// One small town in every format gives the same tiles, and reading leaves nothing behind.
#include "civitas/base/hash.hpp"
#include "made_map.hpp"
#include "preprocess/maps/plan.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// 60 x 40 m of building (less a courtyard of 20 x 10) and a street of 8 m, 200 m long.
MadeLayer town(const char* building = "Gebaeude", const char* street = "Strasse_Weg") {
    MadeLayer layer;
    std::string house = rectangle(100, 100, 60, 40);
    house.insert(house.size() - 1, "," + rectangle(110, 110, 20, 10).substr(8));
    house.replace(house.rfind("))"), 2, ")");
    layer.features = {{building, house},
                      {street, rectangle(20, 60, 200, 8)},
                      {"Gartenanlage", rectangle(20, 150, 50, 50)}};
    return layer;
}

/// Pixels have a metre.
double square_metres(const Tiles& tiles, LandClass value) {
    return static_cast<double>(pixels_of(tiles, value));
}

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
}

}  // namespace

TEST_CASE("every format gives the same tiles and is left as it was") {
    const TemporaryFolder folder("formats");
    const auto reference = tiles_of(keep_all({write_map(folder.path() / "a.gpkg", {town()})}));
    CHECK(square_metres(reference, LandClass::building) == 2200);
    CHECK(square_metres(reference, LandClass::road) == 1600);
    const std::vector<std::pair<const char*, const char*>> formats{{"SQLite", "b.sqlite"},
                                                                   {"ESRI Shapefile", "c.shp"},
                                                                   {"FlatGeobuf", "d.fgb"},
                                                                   {"GML", "e.gml"}};
    for (const auto& [driver, name] : formats) {
        INFO(driver);
        const auto map = write_map(folder.path() / name, {town()}, driver);
        const auto before = names_in(folder.path());
        const auto tiles = tiles_of(keep_all({map}));
        CHECK((tiles.tiles == reference.tiles));
        CHECK(tiles.header.crs_epsg == 2056);
        CHECK(names_in(folder.path()) == before);
    }
}

TEST_CASE("a GML without its schema is read, and no .gfs is written beside it") {
    const TemporaryFolder folder("gml");
    const auto map = write_map(folder.path() / "e.gml", {town()}, "GML");
    fs::remove(folder.path() / "e.xsd");
    auto settings = keep_all({map});
    settings.crs = "EPSG:2056";
    CHECK(square_metres(tiles_of(settings), LandClass::building) == 2200);
    CHECK(names_in(folder.path()) == std::set<std::string>{"e.gml"});
}

TEST_CASE("a GeoJSON in degrees is reprojected to its UTM zone") {
    const TemporaryFolder folder("geojson");
    MadeLayer layer;
    layer.epsg = 4326;
    // About 100 m x 111 m.
    layer.features = {
        {"Gebaeude", "POLYGON((7.5 47.0, 7.501315 47.0, 7.501315 47.001, 7.5 47.001, 7.5 47.0))"}};
    const auto tiles =
        tiles_of(keep_all({write_map(folder.path() / "t.geojson", {layer}, "GeoJSON")}));
    CHECK(tiles.header.crs_epsg == 32632);
    CHECK(square_metres(tiles, LandClass::building) == Approx(100 * 111.2).epsilon(0.02));
}

TEST_CASE("zips and folders of maps are read whole") {
    const TemporaryFolder folder("folder");
    fs::create_directory(folder.path() / "maps");
    write_map(folder.path() / "maps" / "one.gpkg", {town()});
    auto second = town();
    for (auto& feature : second.features) feature.wkt = rectangle(1000, 1000, 50, 50);
    second.features[1].wkt = rectangle(1100, 1000, 50, 8);
    write_map(folder.path() / "maps" / "two.gpkg", {second});
    const auto tiles = tiles_of(keep_all({(folder.path() / "maps").string()}));
    CHECK(square_metres(tiles, LandClass::building) == 2200 + 2500);
    REQUIRE(tiles.header.sources.size() == 2);
    CHECK(tiles.header.sources[1].name == "two.gpkg");
    CHECK(tiles.header.sources[1].hash == hash_file(folder.path() / "maps" / "two.gpkg"));
    std::set<int> sources;
    for (const auto& record : tiles.records) sources.insert(record.source);
    CHECK(sources == std::set<int>{0, 1});

    const auto zip = (folder.path() / "c.zip").string();
    write_map("/vsizip/" + zip + "/lcsf.gml", {town()}, "GML");
    CHECK(square_metres(tiles_of(keep_all({zip})), LandClass::building) == 2200);
    auto nothing = keep_all({zip});
    nothing.buildings = "lcsf:Art = 'none'";
    CHECK_THAT(refusal_of(nothing),
               Catch::Contains("of " + zip + "/lcsf.gml. Hint: ogrinfo ") &&
                   Catch::Contains(" /vsizip/" + zip + "/lcsf.gml lcsf shows"));
}

TEST_CASE("selectors name the layers of any other map") {
    const TemporaryFolder folder("selectors");
    MadeLayer houses{"houses",
                     "floors",
                     OFTInteger,
                     2056,
                     {{"2", rectangle(0, 0, 50, 50)}, {"0", rectangle(100, 0, 50, 50)}}};
    MadeLayer ways{"ways",
                   "kind",
                   OFTString,
                   2056,
                   {{"street", "LINESTRING(2600000 1200100, 2600200 1200100)"}}};
    auto settings = keep_all({write_map(folder.path() / "town.gpkg", {houses, ways})});
    settings.buildings = "houses:floors > 0";
    settings.roads = "ways";
    settings.road_width = 10;
    const auto tiles = tiles_of(settings);
    CHECK(square_metres(tiles, LandClass::building) == 2500);
    CHECK(square_metres(tiles, LandClass::road) == Approx(2000 + 25 * M_PI).epsilon(0.01));
}

TEST_CASE("numbered land cover is read when its model is known") {
    const TemporaryFolder folder("numbers");
    auto settings = keep_all({write_map(folder.path() / "n.gpkg", {town("0", "1")})});
    auto layer = town("0", "1");
    layer.features[2].value = "11";
    settings.inputs = {write_map(folder.path() / "m.gpkg", {layer})};
    settings.art_model = "DM01AVCH24LV95D";
    CHECK(square_metres(tiles_of(settings), LandClass::building) == 2200);
}

TEST_CASE("what is not understood is counted by name") {
    const TemporaryFolder folder("unknown");
    auto layer = town();
    layer.features.push_back({"Luftschloss", rectangle(0, 0, 10, 10)});
    layer.features.push_back({"Luftschloss", rectangle(0, 20, 10, 10)});
    layer.features.push_back({"Gebaeude", ""});
    const auto tiles = tiles_of(keep_all({write_map(folder.path() / "u.gpkg", {layer})}));
    CHECK(tiles.header.dropped.at("land cover taken as other, unknown: 'Luftschloss'") == 2);
    CHECK(tiles.header.dropped.at("features without geometry") == 1);
}

TEST_CASE("words of a map are counted without line breaks and control characters") {
    const TemporaryFolder folder("words");
    auto layer = town();
    layer.features.push_back({"Luft\nschloss\x1b[2J", rectangle(0, 0, 10, 10)});
    layer.features.push_back({"Zwinger", rectangle(0, 20, 10, 10)});
    layer.features.push_back({std::string(70000, 'z'), rectangle(0, 40, 10, 10)});
    const auto dropped =
        tiles_of(keep_all({write_map(folder.path() / "w.gpkg", {layer})})).header.dropped;
    CHECK(dropped.at("land cover taken as other, unknown: 'Luft?schloss?[2J'") == 1);
    CHECK(dropped.at("land cover taken as other, unknown: 'Zwinger'") == 1);
    CHECK(dropped.rbegin()->first.size() < 200);
}

TEST_CASE("of many unknown words the commonest 100 are counted by themselves") {
    const TemporaryFolder folder("many words");
    auto layer = town();
    for (int word = 0; word < 120; ++word)
        for (int i = 0; i < (word < 30 ? 1 : 2); ++i)
            layer.features.push_back({text("word ", 1000 + word), rectangle(0, 0, 10, 10)});
    const auto dropped =
        tiles_of(keep_all({write_map(folder.path() / "m.gpkg", {layer})})).header.dropped;
    const auto count_of = [&](int word) {
        const auto found =
            dropped.find(text("land cover taken as other, unknown: 'word ", word, "'"));
        return found == dropped.end() ? 0 : found->second;
    };
    CHECK(count_of(1030) == 2);
    CHECK(count_of(1119) == 2);
    CHECK(count_of(1009) == 1);
    CHECK(count_of(1010) == 0);
    CHECK(dropped.at("land cover taken as other, unknown: rarer words") == 20);
}

TEST_CASE("projected areas are not mixed in") {
    const TemporaryFolder folder("projected");
    auto projected = town();
    projected.name = "lcsfproj";
    for (auto& feature : projected.features) feature.wkt = rectangle(500, 500, 100, 100);
    const auto tiles =
        tiles_of(keep_all({write_map(folder.path() / "p.gpkg", {town(), projected})}));
    CHECK(square_metres(tiles, LandClass::building) == 2200);
}

TEST_CASE("schemas beside a GML and logs beside a GeoPackage are files of the map") {
    const TemporaryFolder folder("beside");
    const auto files = [&](const std::string& map, const std::string& beside) {
        const fs::path path = folder.path() / map;
        std::ofstream(path) << "map";
        std::ofstream(folder.path() / beside) << "more";
        const auto found = files_of(path);
        return std::vector<std::string>{found.at(0).filename(), found.at(1).filename()};
    };
    using Names = std::vector<std::string>;
    CHECK(files("a.gml", "a.xsd") == Names{"a.gml", "a.xsd"});
    CHECK(files("b.gml", "b.gfs") == Names{"b.gml", "b.gfs"});
    CHECK(files("LCSF.SHP", "LCSF.DBF") == Names{"LCSF.SHP", "LCSF.DBF"});
    CHECK(files("e.db", "e.db-wal") == Names{"e.db", "e.db-wal"});
    CHECK(files("c.gpkg", "c.gpkg-wal") == Names{"c.gpkg", "c.gpkg-wal"});
    std::ofstream(folder.path() / "d.gpkg") << "map";
    std::ofstream(folder.path() / "d.gpkg-wal").flush();
    CHECK(files_of(folder.path() / "d.gpkg").size() == 1);
}

TEST_CASE("a plan is followed only with the files that it was made of, companions too") {
    const TemporaryFolder folder("companions");
    const auto map = folder.path() / "town.shp";
    write_map(map, {town()}, "ESRI Shapefile");
    fs::remove(fs::path(map).replace_extension(".cpg"));
    Gdal gdal;
    const auto plan = [&] {
        OpenMaps maps(gdal);
        return plan_from_text(to_text(make_plan(keep_all({map.string()}), maps)));
    }();
    CHECK(plan.tasks.at(0).files == 4);
    CHECK_NOTHROW(require_same_files(plan, {0}));
    std::ofstream(fs::path(map).replace_extension(".cpg")) << "UTF-8";
    CHECK_THROWS_WITH(require_same_files(plan, {0}),
                      Catch::Contains("town.cpg is not the file that rank 0 sees: it is missing "
                                      "there"));
    fs::remove(fs::path(map).replace_extension(".cpg"));
    std::ofstream(fs::path(map).replace_extension(".dbf"), std::ios::app) << "more";
    CHECK_THROWS_WITH(require_same_files(plan, {0}),
                      Catch::Contains("town.dbf is not the file that rank 0 sees: its hash"));
    fs::remove(fs::path(map).replace_extension(".dbf"));
    CHECK_THROWS_WITH(require_same_files(plan, {0}),
                      Catch::Contains("town.dbf is not the file that rank 0 sees: it is missing "
                                      "here"));
}
