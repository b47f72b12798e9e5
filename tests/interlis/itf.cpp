// INTERLIS 1: areas are found from the lines between them, and go on as any other map.
#include "made_itf.hpp"
#include "maps/made_map.hpp"
#include "preprocess/interlis/land_cover_map.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <numbers>

using namespace civitas;
using namespace civitas::interlis;
using namespace civitas::interlis::test;
using civitas::test::TemporaryFolder;
using maps::test::keep_all;
using maps::test::pixels_of;
using maps::test::refusal_of;
using maps::test::tiles_of;

namespace {

constexpr double half_round = 200 * std::numbers::pi;  // square metres

LandCoverMap read(const std::string& file) {
    GDALAllRegister();
    return read_land_cover({file, file}, Format::interlis1, {});
}

/// Art and square metres of every area.
std::vector<std::pair<int, double>> areas_of(const LandCoverMap& map) {
    std::vector<std::pair<int, double>> areas;
    for (const auto& feature : *map.dataset->GetLayer(0))
        areas.emplace_back(feature->GetFieldAsInteger("Art"),
                           feature->GetGeometryRef()->toPolygon()->get_Area());
    return areas;
}

void check_town(const LandCoverMap& map) {
    const auto areas = areas_of(map);
    REQUIRE(areas.size() == 5);
    const std::vector<std::pair<int, double>> expected{
        {0, 1200}, {0, half_round}, {1, 2000}, {11, 20000 - 1200 - half_round}, {8, 18000}};
    for (std::size_t i = 0; i < areas.size(); ++i) {
        CHECK(areas[i].first == expected[i].first);
        // Chords leave the arc by a millimetre at most.
        CHECK(areas[i].second == Approx(expected[i].second).margin(0.001 * 20 * std::numbers::pi));
    }
}

}  // namespace

TEST_CASE("areas are what the lines enclose around their points, arcs too") {
    const TemporaryFolder folder("itf");
    const auto map = read(write(folder.path() / "town.itf", town()));
    check_town(map);
    CHECK(map.warnings.empty());
    CHECK(map.left_out ==
          std::map<std::string, std::int64_t>{{"areas of land cover that is yet to be built", 1}});
    CHECK(std::string(map.dataset->GetLayer(0)->GetName()) == "BoFlaeche");
}

TEST_CASE("line ends, continued lines and coordinates of LV03 change nothing") {
    const TemporaryFolder folder("itf");
    auto itf = town();
    itf.line_end = "\r\n";
    check_town(read(write(folder.path() / "crlf.itf", itf)));
    const auto words = with(to_text(town()), " 0 11\n", " \\\nCONT 0 11\n");
    check_town(read(write(folder.path() / "continued.itf", words)));
    itf = town();
    itf.model = "DM01AVCH24D";
    itf.east = 600000;
    itf.north = 200000;
    const auto old = read(write(folder.path() / "lv03.itf", itf));
    check_town(old);
    CHECK(old.dataset->GetLayer(0)->GetSpatialRef()->GetAuthorityCode(nullptr) ==
          std::string("21781"));
}

TEST_CASE("the federal model's French and Italian tables are known") {
    const TemporaryFolder folder("itf");
    auto itf = town();
    itf.model = "MD01MOCH24MN95F";
    itf.table = "SurfaceCS";
    itf.geometry = "SurfaceCS_Geometrie";
    itf.projected = "SurfaceCSProj";
    check_town(read(write(folder.path() / "f.itf", itf)));
    itf.model = "MD01MUCH24MN95I";
    itf.table = "SuperficieCS";
    itf.geometry = "SuperficieCS_Geometria";
    itf.projected = "SuperficieCSProg";
    const auto italian = write(folder.path() / "i.itf", itf);
    check_town(read(italian));
    CHECK(pixels_of(tiles_of(keep_all({italian})), LandClass::road) == 2000);
}

TEST_CASE("an area without a boundary of its own is named and counted") {
    const TemporaryFolder folder("itf");
    auto itf = town();
    itf.lines[1].pop_back();  // the house lies open: its ground is the garden's
    itf.rows.push_back({300, 300, "0"});
    const auto file = write(folder.path() / "open.itf", itf);
    const auto map = read(file);
    CHECK(areas_of(map).size() == 4);
    CHECK(map.left_out.at("areas of land cover around which no boundary closes") == 2);
    REQUIRE(map.warnings.size() == 2);
    // The first of the two that share the ground has it.
    CHECK_THAT(map.warnings[0], Catch::Contains("closes around area 103 (line ") &&
                                    Catch::Contains("at 2600010.000, 1200010.000"));
    CHECK_THAT(map.warnings[1], Catch::Contains("area 105"));
}

TEST_CASE("a transfer makes the tiles of its polygons as a GeoPackage, on any number of ranks") {
    const auto world = comm::Communicator::world();
    std::optional<TemporaryFolder> folder;
    if (world.is_root()) folder.emplace("itf");
    const std::string path = world.broadcast(folder ? folder->path().string() : std::string());
    if (world.is_root()) {
        write(path + "/town.itf", town());
        using maps::test::rectangle;
        OGRCircularString round;
        round.addPoint(2600120, 1200020);
        round.addPoint(2600140, 1200040);
        round.addPoint(2600160, 1200020);
        const std::unique_ptr<OGRLineString> chords(round.CurveToLine(0.5));
        std::string ring = "POLYGON((";
        for (const auto& p : *chords) ring += text(std::fixed, p.getX(), ' ', p.getY(), ',');
        ring += "2600120 1200020))";
        maps::test::write_map(path + "/town.gpkg",
                              {{"lcsf",
                                "Art",
                                OFTString,
                                2056,
                                {{"Gebaeude", rectangle(50, 50, 40, 30)},
                                 {"Gebaeude", ring},
                                 {"Strasse_Weg", rectangle(0, 100, 200, 10)}}}});
    }
    world.barrier();
    const auto transfer = tiles_of(world, keep_all({path + "/town.itf"}));
    const auto package = tiles_of(world, keep_all({path + "/town.gpkg"}));
    CHECK((transfer.tiles == package.tiles));
    CHECK(transfer.header.crs_epsg == 2056);
    CHECK(transfer.header.dropped.at("areas of land cover that is yet to be built") == 1);
    CHECK_THAT(transfer.header.licence, Catch::Contains("official survey"));
    world.barrier();
}

TEST_CASE("a transfer in a zip, and selectors of its numbers") {
    const TemporaryFolder folder("itf");
    const auto zip = (folder.path() / "c.zip").string();
    {
        GDALAllRegister();
        const std::string words = to_text(town());
        auto* member = VSIFOpenL(("/vsizip/" + zip + "/in/town.ITF").c_str(), "wb");
        REQUIRE(member != nullptr);
        REQUIRE(VSIFWriteL(words.data(), 1, words.size(), member) == words.size());
        REQUIRE(VSIFCloseL(member) == 0);
    }
    CHECK(pixels_of(tiles_of(keep_all({zip})), LandClass::road) == 2000);
    auto canton = town();
    canton.model = "DM01AVSO24LV95";
    auto settings = keep_all({write(folder.path() / "so.itf", canton)});
    settings.buildings = "BoFlaeche:Art = 0";
    settings.roads = "BoFlaeche:Art IN (1, 2, 3)";
    const auto tiles = tiles_of(settings);
    CHECK(pixels_of(tiles, LandClass::road) == 2000);
    CHECK(tiles.header.dropped.at("areas of land cover that is yet to be built") == 1);
    settings.buildings = settings.roads = "";
    settings.layers =
        write(folder.path() / "so.ini",
              "[houses]\nlayer = BoFlaeche\nfield = Art\nvalues = 0\nclass = building\n"
              "[roads]\nlayer = BoFlaeche\nfield = Art\nvalues = 1\nclass = road\n");
    CHECK((tiles_of(settings).tiles == tiles.tiles));
    settings.layers = "swiss";
    CHECK_THAT(refusal_of(settings), Catch::Contains("follows the model DM01AVSO24LV95, whose"));
}

TEST_CASE("the model of land cover is that of its topic, and of no other in the file") {
    const TemporaryFolder folder("itf");
    const auto words = to_text(town());
    const std::string other = "MODL DM01AVCH24LV95D\nTOPI FixpunkteKategorie1\nETOP\nEMOD\n";
    const std::string canton = "MODL DM01AVZH24LV95D\n", federal = "MODL DM01AVCH24LV95D\n";
    const auto before = write(folder.path() / "a.itf", with(words, federal, other + canton));
    CHECK_THAT(refusal_of(keep_all({before})),
               Catch::Contains("a.itf follows the model DM01AVZH24LV95D, whose numbers"));
    const auto behind = write(folder.path() / "b.itf",
                              with(words, federal, "MODL DM01AVZH24LV95D\nEMOD\n" + federal));
    CHECK((tiles_of(keep_all({behind})).tiles ==
           tiles_of(keep_all({write(folder.path() / "c.itf", words)})).tiles));

    auto settings = keep_all({write(folder.path() / "d.itf",
                                    with(words, "TABL BoFlaeche\n", canton + "TABL BoFlaeche\n"))});
    CHECK_THAT(refusal_of(settings), Catch::Contains("land cover of a second model, "
                                                     "DM01AVZH24LV95D after DM01AVCH24LV95D"));
    settings.skip_damaged = true;
    CHECK_THAT(refusal_of(settings), Catch::Contains("holds no land cover"));
}

TEST_CASE("numbers of a canton's model are refused before the map is read") {
    const TemporaryFolder folder("itf");
    auto canton = town();
    canton.model = "DM01AVSO24LV95";
    auto settings = keep_all(
        {write(folder.path() / "so.itf", with(to_text(canton), "LIPT 2600200.000", "LIPT x"))});
    CHECK_THAT(refusal_of(settings),
               Catch::Contains("so.itf follows the model DM01AVSO24LV95, whose numbers of land "
                               "cover are not known here") &&
                   Catch::Contains("Hint: order it in the federal model; --art-model DM01AVCH"));
    settings.inputs = {write(folder.path() / "so.itf", canton)};
    settings.art_model = "DM01AVCH";
    CHECK(pixels_of(tiles_of(settings), LandClass::road) == 2000);
    canton.rows[4].art = "26";
    settings.inputs = {write(folder.path() / "so.itf", canton)};
    CHECK_THAT(refusal_of(settings), Catch::Contains("land cover 26 (field Art)") &&
                                         Catch::Contains("model DM01AVCH is not known to have it"));
}
