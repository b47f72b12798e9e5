// INTERLIS 2.4: DMAV gives the tiles of the same ground as INTERLIS 1; damage is named.
#include "made_itf.hpp"
#include "made_xtf.hpp"
#include "maps/made_map.hpp"
#include "preprocess/interlis/land_cover_map.hpp"
#include "preprocess/linework/areas.hpp"
#include "refused.hpp"
#include "support/temporary.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
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

void refuses(const std::string& from, const std::string& to, const std::string& message) {
    INFO(from << " -> " << to);
    CHECK_THAT(refused("a.xtf", with(to_xtf(surfaces()), from, to)),
               Catch::Contains("a.xtf: line ") && Catch::Contains(message) &&
                   Catch::Contains("Hint: the file is damaged"));
}

const std::string real_house = "2600090.000</geom:c1><geom:c2>1200050.000";

}  // namespace

TEST_CASE("a transfer of DMAV has the tiles of the same ground as INTERLIS 1, in a zip too") {
    const TemporaryFolder folder("xtf");
    const auto words = to_xtf(surfaces());
    const auto transfer = tiles_of(keep_all({write(folder.path() / "town.xtf", words)}));
    const auto lines = tiles_of(keep_all({write(folder.path() / "town.itf", town())}));
    CHECK((transfer.tiles == lines.tiles));
    CHECK(pixels_of(transfer, LandClass::road) == 2000);
    CHECK(transfer.header.crs_epsg == 2056);
    CHECK(transfer.header.dropped.at("areas of land cover that is yet to be built") == 1);

    const auto zip = (folder.path() / "c.zip").string();
    auto* member = VSIFOpenL(("/vsizip/" + zip + "/town.xtf").c_str(), "wb");
    REQUIRE(member != nullptr);
    REQUIRE(VSIFWriteL(words.data(), 1, words.size(), member) == words.size());
    REQUIRE(VSIFCloseL(member) == 0);
    CHECK((tiles_of(keep_all({zip})).tiles == transfer.tiles));
}

TEST_CASE("several surfaces of an object, polylines that go on, and areas without any") {
    const TemporaryFolder folder("xtf");
    auto town = surfaces();
    town[0].rings = {coord(50, 50) + coord(90, 50) + "</geom:polyline><geom:polyline>" +
                     coord(90, 50) + coord(90, 80) + coord(50, 80) + coord(50, 50)};
    auto words = to_xtf(town);
    words = with(words, "<geom:surface>", "<geom:multisurface><geom:surface>");
    words =
        with(words, "</geom:surface>",
             "</geom:surface><geom:surface><geom:exterior><geom:polyline>" + ring(10, 50, 10, 10) +
                 "</geom:polyline></geom:exterior></geom:surface></geom:multisurface>");
    words = with(words, "</BB:Bodenbedeckung>\n</ili:data",
                 "<BB:Bodenbedeckung ili:tid=\"x\"><BB:Bodenbedeckungsart>Gebaeude"
                 "</BB:Bodenbedeckungsart></BB:Bodenbedeckung></BB:Bodenbedeckung>\n</ili:data");
    const auto tiles = tiles_of(keep_all({write(folder.path() / "a.xtf", words)}));
    const auto plain = tiles_of(keep_all({write(folder.path() / "b.xtf", to_xtf(surfaces()))}));
    CHECK(pixels_of(tiles, LandClass::building) == pixels_of(plain, LandClass::building) + 100);
    CHECK(tiles.header.dropped.at("features without geometry") == 1);
}

TEST_CASE("damaged and hostile XML is named with its line") {
    refuses(real_house, "2600090.000</geom:c1><geom:c2>here", "'here' is no number of metres");
    refuses("<geom:c2>1200050.000</geom:c2>", "", "a point of a surface lacks a coordinate");
    refuses(ring(50, 50, 40, 30), coord(50, 50) + coord(90, 50), "a boundary has 2 points");
    refuses(ring(50, 50, 40, 30), ring(50, 50, 40, 30) + coord(1, 1), "a boundary does not close");
    refuses(half_round(), arc(140, 40, 160, 20) + coord(120, 20), "an arc has no beginning");
    refuses("<geom:surface><geom:exterior><geom:polyline>" + ring(50, 50, 40, 30) +
                "</geom:polyline></geom:exterior>\n",
            "<geom:surface>", "a surface has no boundary");
    refuses("</ili:datasection>", "", "it is no whole XML: mismatched tag");
    refuses("<ili:transfer", "<!DOCTYPE x [<!ENTITY a \"b\">]><ili:transfer",
            "no transfer declares a DOCTYPE");
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "<BB:a>";
    refuses("<BB:Qualitaetsstandard>", deep, "elements are nested too deep");
}

TEST_CASE("what nobody asks of a transfer does not matter") {
    const TemporaryFolder folder("xtf");
    const auto plain = tiles_of(keep_all({write(folder.path() / "plain.xtf", to_xtf(surfaces()))}));
    auto words =
        with(to_xtf(surfaces()), real_house, " 2600090.000 </geom:c1><geom:c2>\n+1200050.000");
    words =
        with(words, "<BB:Qualitaetsstandard>",
             "<BB:Bemerkung>" + std::string(5000, 'x') + "</BB:Bemerkung><BB:Qualitaetsstandard>");
    words = with(words, "</ili:datasection>",
                 "<BB:Grundstuecke ili:bid=\"q\"><BB:Liegenschaft ili:tid=\"p\"><BB:Geometrie>"
                 "<geom:surface><geom:exterior><geom:polyline>" +
                     coord(1, 1) + coord(9, 1) + coord(9, 9) +
                     "</geom:polyline></geom:exterior></geom:surface></BB:Geometrie>"
                     "</BB:Liegenschaft></BB:Grundstuecke></ili:datasection>");
    CHECK((tiles_of(keep_all({write(folder.path() / "a.xtf", words)})).tiles == plain.tiles));
}

TEST_CASE("an arc of kilometres is refused") {
    std::vector<linework::Point> points{{0, 0}};
    linework::Arcs arcs;
    CHECK_THROWS_WITH(arcs.add(points, {0, 4000}, {1, 0}),
                      Catch::Contains("m are the most that is read"));
    arcs.add(points, {5, 5}, {10, 0});
    CHECK(points.size() > 50);
}

TEST_CASE("an arc becomes equal chords of a number of degrees at most, the same from both ends") {
    const auto chords = [](linework::Point begin, linework::Point end, double degrees) {
        std::vector<linework::Point> points{begin};
        linework::Arcs(linework::ArcStep{degrees}).add(points, {0, 10}, end);
        return points;
    };
    const auto half = chords({10, 0}, {-10, 0}, 50);  // 180 degrees in four of 45
    REQUIRE(half.size() == 5);
    CHECK(half[1].x == Approx(10 * std::cos(std::numbers::pi / 4)));
    CHECK(half[1].y == Approx(half[1].x));
    CHECK(chords({10, 0}, {-10, 0}, 90).size() == 3);
    CHECK(chords({0.1, 9.9995}, {-0.1, 9.9995}, 90).size() == 3);  // two at least
    auto there = chords({7.3, 1.9}, {-8.7, 3.1}, 0.7);
    const auto back = chords({-8.7, 3.1}, {7.3, 1.9}, 0.7);
    std::reverse(there.begin(), there.end());
    REQUIRE(there.size() == back.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
        CHECK(there[i].x == back[i].x);
        CHECK(there[i].y == back[i].y);
    }
    std::vector<linework::Point> straight{{0, 0}};
    linework::Arcs().add(straight, {1, 1}, {2, 2});
    CHECK(straight.size() == 3);
}

TEST_CASE("a file cut short anywhere is told as one that ends too early") {
    const TemporaryFolder folder("cut");
    const auto words = to_xtf(surfaces());
    const auto whole = words.find("</BB:Bodenbedeckung>\n") + 20;  // the first object
    int with_land_cover = 0;
    for (auto length = words.find("<ili:datasection>"); length + 3 < words.size(); length += 97) {
        const auto begin = words.substr(0, length);
        INFO(begin.substr(length - 40));
        const auto file = write(folder.path() / "a.xtf", begin);
        const auto end = text("line ", 1 + std::count(begin.begin(), begin.end(), '\n'),
                              ": the file ends too early, before </transfer>");
        CHECK_THAT(refusal_of(keep_all({file})),
                   Catch::StartsWith("cannot read all of " + file + ": " + end) &&
                       Catch::Contains("Hint: the file is damaged or cut short"));
        const auto read = [&] { return read_land_cover({file, "a"}, Format::interlis24, {true}); };
        if (length < whole) {
            CHECK_THROWS_WITH(read(),
                              Catch::StartsWith("a breaks off: " + end) &&
                                  Catch::Contains("and that is no land cover. Hint: fetch"));
            continue;
        }
        const auto map = read();
        CHECK(map.left_out.at("ends of files that break off") == 1);
        CHECK(map.left_out.count("features that cannot be read") == 0);
        REQUIRE(map.warnings.size() == 1);
        CHECK(map.warnings[0] == "a breaks off: " + end + "; what it had before is read");
        ++with_land_cover;
    }
    CHECK(with_land_cover > 10);
}

TEST_CASE("with --skip-damaged whole surfaces are read, and others are counted") {
    const TemporaryFolder folder("xtf");
    auto words = with(to_xtf(surfaces()), real_house, "x</geom:c1><geom:c2>y");
    words.resize(words.rfind("</BB:Bodenbedeckung>"));
    auto settings = keep_all({write(folder.path() / "a.xtf", words)});
    settings.skip_damaged = true;
    const auto tiles = tiles_of(settings);
    CHECK(tiles.header.dropped.at("features that cannot be read") == 1);
    CHECK(tiles.header.dropped.at("ends of files that break off") == 1);
    CHECK(pixels_of(tiles, LandClass::road) == 2000);
    CHECK(pixels_of(tiles, LandClass::building) == Approx(200 * M_PI).margin(10));
}

TEST_CASE("a transfer without land cover is refused with its topics") {
    auto words = to_xtf({});
    CHECK_THAT(refused("a.xtf", words),
               Catch::Contains("a.xtf holds no land cover: no object of it has a "
                               "Bodenbedeckungsart; its topics: Bodenbedeckung. Hint: order"));
}

TEST_CASE("transfers in INTERLIS 2.3 are read by GDAL's driver") {
    const TemporaryFolder folder("xtf");
    const auto point = [](const char* c1, const char* c2, double x, double y) {
        return text(std::fixed, '<', c1, '>', 2600000 + x, "</", c1, "><", c2, '>', 1200000 + y,
                    "</", c2, '>');
    };
    const auto coordinate = [&](double x, double y) {
        return "<COORD>" + point("C1", "C2", x, y) + "</COORD>";
    };
    const auto area = [](const std::string& name, const char* art, const std::string& ring) {
        return text("<Town.Cover.", name, " TID=\"", ring.size(), art,
                    "\"><Geometrie><SURFACE><BOUNDARY><POLYLINE>", ring,
                    "</POLYLINE></BOUNDARY></SURFACE></Geometrie><Qualitaet>AV93</Qualitaet><Art>",
                    art, "</Art></Town.Cover.", name, ">");
    };
    const auto box = [&](double x, double y, double w, double h) {
        return coordinate(x, y) + coordinate(x + w, y) + coordinate(x + w, y + h) +
               coordinate(x, y + h) + coordinate(x, y);
    };
    const std::string words = text(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TRANSFER "
        "xmlns=\"http://www.interlis.ch/INTERLIS2.3\">\n<HEADERSECTION SENDER=\"x\" "
        "VERSION=\"2.3\"><MODELS><MODEL NAME=\"Town\" VERSION=\"1\" URI=\"x\"/></MODELS>"
        "</HEADERSECTION>\n<DATASECTION><Town.Cover BID=\"b1\">\n",
        area("BoFlaeche", "Gebaeude", box(50, 50, 40, 30)),
        area("BoFlaeche", "Gebaeude",
             coordinate(120, 20) + "<ARC>" + point("C1", "C2", 160, 20) +
                 point("A1", "A2", 140, 40) + "</ARC>" + coordinate(120, 20)),
        area("BoFlaeche", "Strasse_Weg", box(0, 100, 200, 10)),
        area("ProjBoFlaeche", "Gebaeude", box(10, 120, 50, 50)),
        "</Town.Cover></DATASECTION></TRANSFER>\n");
    auto settings = keep_all({write(folder.path() / "old.xtf", words)});
    settings.crs = "EPSG:2056";
    const auto tiles = tiles_of(settings);
    const auto same = tiles_of(keep_all({write(folder.path() / "town.itf", town())}));
    CHECK((tiles.tiles == same.tiles));
}
