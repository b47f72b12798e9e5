// Inputs that are no single file: patterns, databases and services; and formats that a build of
// GDAL may lack.
#include "interlis/made_itf.hpp"
#include "made_map.hpp"
#include "preprocess/maps/connection.hpp"
#include "preprocess/maps/reader.hpp"
#include "preprocess/maps/source.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

MadeLayer house(double x) {
    return {"lcsf",
            "Art",
            OFTString,
            2056,
            {{"Gebaeude", rectangle(x, 0, 50, 50)}, {"Strasse_Weg", rectangle(x, 60, 50, 10)}}};
}

/// Three transfers of one size, which is returned.
std::uint64_t write_transfers(const fs::path& folder) {
    const auto words = interlis::test::to_text(interlis::test::town());
    for (const char* name : {"a.itf", "b.itf", "c.itf"})
        std::ofstream(folder / name, std::ios::binary) << words;
    return words.size();
}

}  // namespace

TEST_CASE("transfers stay open while they are small together, the first ones the longest") {
    const TemporaryFolder folder("transfers");
    const auto bytes = write_transfers(folder.path());
    const auto transfers = find_datasets(folder.path(), 0);
    Gdal gdal;
    OpenMaps maps(gdal, {}, 2 * bytes);
    for (const auto& transfer : transfers) static_cast<void>(maps.get(transfer));
    for (const auto& transfer : transfers) fs::remove(transfer.file);
    CHECK_NOTHROW(maps.get(transfers[0]));
    CHECK_NOTHROW(maps.get(transfers[2]));
    CHECK_THROWS(maps.get(transfers[1]));
}

TEST_CASE("all layers of a map are read before the next map, and none is open after that") {
    const TemporaryFolder folder("by map");
    const auto bytes = write_transfers(folder.path());
    auto settings = keep_all({folder.path()});
    settings.buildings = "BoFlaeche:Art = 0";
    settings.roads = "BoFlaeche:Art = 1";
    Gdal gdal;
    OpenMaps maps(gdal, {}, bytes);  // one at a time
    const auto plan = make_plan(settings, maps);
    const auto content = read_tasks(plan, {0, 1, 2, 3, 4, 5}, settings, maps,
                                    [&](double) { fs::remove(folder.path() / "a.itf"); });
    CHECK(content.counts.at(0).buildings == 2);
    CHECK(content.counts.at(3).roads == 1);
    fs::remove(folder.path() / "c.itf");
    CHECK_THROWS(maps.get(plan.tasks.at(5).dataset));
}

TEST_CASE("more maps than stay open at once") {
    const TemporaryFolder folder("many");
    for (int i = 0; i < 40; ++i)
        write_map(folder.path() / text("map", i, ".geojson"), {house(100.0 * i)}, "GeoJSON");
    const auto tiles = tiles_of(keep_all({folder.path().string()}));
    CHECK(tiles.header.sources.size() == 40);
    CHECK(pixels_of(tiles, LandClass::building) > 0);
}

TEST_CASE("a file whose name is no UTF-8 is refused by that") {
    const TemporaryFolder folder("latin");
    const auto map = write_map(folder.path() / "town.geojson", {house(0)}, "GeoJSON");
    fs::rename(map, folder.path() /
                        "stra\xdf"
                        "e.geojson");
    CHECK_THAT(refusal_of(keep_all({folder.path().string()})),
               Catch::Contains("stra?e.geojson is no UTF-8. Hint: rename it"));
}

TEST_CASE("a pattern is all files that match it") {
    const TemporaryFolder folder("pattern");
    write_map(folder.path() / "b.gpkg", {house(0)});
    write_map(folder.path() / "a.gpkg", {house(100)});
    write_map(folder.path() / "c.sqlite", {house(200)}, "SQLite");
    const auto pattern = (folder.path() / "*.gpkg").string();
    const auto tiles = tiles_of(keep_all({pattern}));
    CHECK(pixels_of(tiles, LandClass::building) == 5000);
    REQUIRE(tiles.header.sources.size() == 2);
    CHECK(tiles.header.sources[0].name == "a.gpkg");
    CHECK(pixels_of(tiles_of(keep_all({pattern, (folder.path() / "c.sqlite").string()})),
                    LandClass::building) == 7500);
    CHECK_THAT(
        refusal_of(keep_all({(folder.path() / "*.shp").string()})),
        Catch::Contains("no file matches ") && Catch::Contains("*.shp") && Catch::Contains("Hint"));
    // A file may be called like a pattern.
    const auto odd = write_map(folder.path() / "d[1].gpkg", {house(0)});
    CHECK(pixels_of(tiles_of(keep_all({odd})), LandClass::building) == 2500);
}

TEST_CASE("what GDAL connects to is passed on as it is, and its failure is named") {
    GDALAllRegister();
    const std::string nowhere =
        "PG:host=127.0.0.1 port=9 dbname=town user=me password=secret connect_timeout=2";
    REQUIRE(std::string(driver_of_connection(nowhere)) == "PostgreSQL");
    const auto found = find_datasets(nowhere, 3);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == nowhere);
    CHECK(found[0].input == 3);
    CHECK(files_of(nowhere).empty());
    const auto refusal = refusal_of(keep_all({nowhere}));
    const bool has_driver = GDALGetDriverByName("PostgreSQL") != nullptr;
    CHECK_THAT(refusal, Catch::Contains(
                            has_driver ? "cannot connect to PG:host=127.0.0.1 port=9 dbname=town "
                                         "user=me password=*** connect_timeout=2: GDAL says"
                                       : "this GDAL lacks the driver PostgreSQL"));
    CHECK_THAT(refusal, !Catch::Contains("secret") && Catch::Contains("Hint"));

    const auto service = refusal_of(keep_all({"WFS:http://me:secret@127.0.0.1:9/town.gml"}));
    CHECK_THAT(service, Catch::Contains(GDALGetDriverByName("WFS") != nullptr
                                            ? "cannot connect to WFS:http://me:***@127.0.0.1:9"
                                            : "this GDAL lacks the driver WFS"));
    CHECK_THAT(service, !Catch::Contains("secret"));
}

TEST_CASE("raw signs in a password do not show parts of it, not in GDAL's words either") {
    CHECK(without_secrets("PG:host=h password=a@b") == "PG:host=h password=***");
    CHECK(without_secrets("WFS:https://u:p@ss@host/x") == "WFS:https://u:***@host/x");
    CHECK(without_secrets("WFS:https://u:p/s:s@host/x") == "WFS:https://u:***@host/x");
    CHECK(without_secrets("WFS:https://u:p@s/s@host/x") == "WFS:https://u:***@host/x");
    CHECK(without_secrets("WFS:https://u:p?s@host/x") == "WFS:https://u:***@host/x");
    for (const auto* plain : {"https://c:80/d@e", "https://c:80?d=e@f", "https://c:80", "//a:1@"})
        CHECK(without_secrets(plain) ==
              (std::string(plain) == "//a:1@" ? std::string("//a:***@") : plain));
    const auto secrets = secrets_of("PG:postgresql://u:pa@ss@h/db?password=x1");
    // What libpq says of such an address.
    CHECK(without(secrets, "could not translate host name \"ss@h\" to address") ==
          "could not translate host name \"***@h\" to address");
    CHECK(without(secrets, "pa, ss, pa@ss, x1; a password passes") ==
          "***, ***, ***, ***; a password passes");
    CHECK(without(secrets_of("PG:password='a b' user=u"), "for 'a b'") == "for ***");
    CHECK(secrets_of("PG:dbname=town").empty());
    GDALAllRegister();
    if (GDALGetDriverByName("PostgreSQL") == nullptr) return;
    const auto refusal = refusal_of(keep_all({"PG:postgresql://me:left@right@127.0.0.1:9/town"}));
    CHECK_THAT(refusal, Catch::Contains("cannot connect to PG:postgresql://me:***@127.0.0.1:9/") &&
                            Catch::Contains("GDAL says") && !Catch::Contains("left") &&
                            !Catch::Contains("right"));
}

TEST_CASE("passwords are in no message and no store") {
    CHECK(without_secrets("PG:dbname=a password=b c=d") == "PG:dbname=a password=*** c=d");
    CHECK(without_secrets("PG:PASSWORD = 'b \\' c' d=e") == "PG:PASSWORD = *** d=e");
    CHECK(without_secrets("WFS:https://c/d?apikey=e&access_token=f&g=h") ==
          "WFS:https://c/d?apikey=***&access_token=***&g=h");
    CHECK(without_secrets("PG:password=b") == "PG:password=***");
    CHECK(without_secrets("PG:password=") == "PG:password=***");
    // Words of libraries are no connection, and a password ends there as it did.
    CHECK(without_secrets("GDAL: password=b was refused") == "GDAL: password=*** was refused");
    CHECK(without_secrets("PG:password=a b@c d user=u") == "PG:password=*** user=u");
    CHECK(without_secrets("PG:user=u password=a b@c") == "PG:user=u password=***");
    CHECK(without(secrets_of("PG:password=a b@c"), "missing \"=\" after \"b@c\"") ==
          "missing \"=\" after \"***\"");
    CHECK(without_secrets("WFS:https://a:b@c/d?e=f@g") == "WFS:https://a:***@c/d?e=f@g");
    CHECK(without_secrets("WFS:https://c/d?password=e&f=g") == "WFS:https://c/d?password=***&f=g");
    for (const std::string secret :
         {"a,bS", "a&bS", "a;bS", "a\"bS", "a\\ bS", "'a bS'", "'a\\'bS'"})
        CHECK(without_secrets("PG:password=" + secret + " user=u") == "PG:password=*** user=u");
    CHECK(without_secrets("WFS:http://c?user=u&pwd=S&x=1") == "WFS:http://c?user=u&pwd=***&x=1");
    for (const auto* plain : {"town.gpkg", "https://c:80/d", "a@b", "password", "//"})
        CHECK(without_secrets(plain) == plain);
    const std::array words{"civitas-preprocess", "PG:dbname=a password=b", "--output", "t.h5"};
    CHECK(read_settings(static_cast<int>(words.size()), words.data()).command ==
          "civitas-preprocess PG:dbname=a password=*** --output t.h5");
}

TEST_CASE("GeoParquet is read where GDAL can, and the driver is named where it cannot") {
    const TemporaryFolder folder("parquet");
    GDALAllRegister();
    const auto file = folder.path() / "town.parquet";
    if (GDALGetDriverByName("Parquet") != nullptr) {
        write_map(file, {house(0)}, "Parquet");
        CHECK(pixels_of(tiles_of(keep_all({file.string()})), LandClass::building) == 2500);
        return;
    }
    fs::copy_file(write_map(folder.path() / "a.gpkg", {house(0)}), file);
    CHECK_THAT(refusal_of(keep_all({file.string()})),
               Catch::Contains("this GDAL lacks the driver Parquet, which ") &&
                   Catch::Contains("Hint: install a GDAL with it"));
}

TEST_CASE("sources have names that tell them apart, as short as they can be") {
    CHECK(short_names({"a/x.gpkg", "b/y.gpkg"}) == std::vector<std::string>{"x.gpkg", "y.gpkg"});
    CHECK(short_names({"/a/n/x.gpkg", "/b/n/x.gpkg", "/b/c/x.gpkg", "y.gpkg"}) ==
          std::vector<std::string>{"a/n/x.gpkg", "b/n/x.gpkg", "c/x.gpkg", "y.gpkg"});
    CHECK(short_names({"x.gpkg", "n/x.gpkg", "/n/x.gpkg"}) ==
          std::vector<std::string>{"x.gpkg", "n/x.gpkg", "/n/x.gpkg"});
    const TemporaryFolder folder("same names");
    fs::create_directories(folder.path() / "n1");
    fs::create_directories(folder.path() / "n2");
    const auto settings = keep_all({write_map(folder.path() / "n1" / "map.gpkg", {house(0)}),
                                    write_map(folder.path() / "n2" / "map.gpkg", {house(500)})});
    const auto sources = tiles_of(settings).header.sources;
    REQUIRE(sources.size() == 2);
    CHECK(sources[0].name == "n1/map.gpkg");
    CHECK(sources[1].name == "n2/map.gpkg");
}

TEST_CASE("a map that is given twice is refused, whatever it is called") {
    const TemporaryFolder folder("twice");
    const auto map = write_map(folder.path() / "map.gpkg", {house(0)});
    for (const auto& again : {fs::path(map), folder.path() / "." / "map.gpkg", folder.path()})
        CHECK_THAT(refusal_of(keep_all({map, again.string()})),
                   Catch::Contains("map.gpkg is given twice") &&
                       Catch::Contains("Hint: leave one of them out"));
}

namespace {

MadeLayer one(const char* name, const std::string& wkt) {
    return {name, "kind", OFTString, 2056, {{"any", wkt}}};
}

}  // namespace

TEST_CASE("an input in which no selector names a layer is refused by its name") {
    const TemporaryFolder folder("silent");
    const auto known = write_map(
        folder.path() / "a.gpkg",
        {one("houses", rectangle(0, 0, 50, 50)), one("streets", rectangle(0, 60, 50, 10))});
    const auto other = write_map(
        folder.path() / "b.gpkg",
        {one("maisons", rectangle(500, 0, 50, 50)), one("rues", rectangle(500, 60, 50, 10))});
    const auto half =
        write_map(folder.path() / "c.gpkg", {one("houses", rectangle(600, 0, 50, 50))});
    auto settings = keep_all({known, other});
    settings.buildings = "houses";
    settings.roads = "streets";
    CHECK_THAT(
        refusal_of(settings),
        Catch::Contains("neither --buildings nor --roads names a layer of input " + other +
                        "; its layers: maisons, rues. Hint: leave it out, or give --layers"));
    settings.inputs = {known, half};
    CHECK(pixels_of(tiles_of(settings), LandClass::building) == 5000);
}

TEST_CASE("a file called like a layer hides the layers of its own input alone") {
    const TemporaryFolder folder("hidden");
    const auto named = write_map(folder.path() / "houses.geojson",
                                 {one("houses", rectangle(0, 0, 50, 50))}, "GeoJSON");
    const auto other = write_map(
        folder.path() / "c.gpkg",
        {one("houses", rectangle(100, 0, 50, 50)), one("streets", rectangle(0, 60, 50, 10))});
    auto settings = keep_all({named, other});
    settings.buildings = "houses";
    settings.roads = "streets";
    CHECK(pixels_of(tiles_of(settings), LandClass::building) == 5000);
}
