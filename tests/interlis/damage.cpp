// Damaged and hostile transfers: named with the line, in bounded time.
#include "made_itf.hpp"
#include "maps/made_map.hpp"
#include "preprocess/linework/areas.hpp"
#include "refused.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::interlis::test;
using civitas::test::TemporaryFolder;
using maps::test::keep_all;
using maps::test::pixels_of;
using maps::test::refusal_of;
using maps::test::tiles_of;

namespace {

void refuses(const std::string& from, const std::string& to, const std::string& message) {
    INFO(from << " -> " << to);
    CHECK_THAT(
        refused("a.itf", with(to_text(town()), from, to)),
        Catch::Contains("a.itf: " + message) && Catch::Contains("Hint: the file is damaged"));
}

}  // namespace

TEST_CASE("damage is named with its line") {
    // The house's second vertex stands in line 20.
    refuses("2600090.000 1200050.000", "2600090.000 12000x0", "line 20: '12000x0' is no number");
    refuses("2600090.000 1200050.000", "2600090.000", "line 20: LIPT has no two coordinates");
    refuses("2600090.000 1200050.000", "inf 1200050.000", "line 20: 'inf' is no number of metres");
    refuses("LIPT 2600090", "LPIT 2600090", "line 20: 'LPIT' is no keyword of INTERLIS 1");
    refuses("LIPT 2600090", "STPT 2600090", "line 20: a line begins within another");
    refuses("LIPT 2600160", "ARCP 2600160", "line 28: an arc has two points ARCP");
    refuses("STPT 2600050.000 1200050.000\n", "", "line 19: LIPT stands in no line");
    refuses("ELIN\nOBJE 1\n", "OBJE 1\n", "line 17: a line is not ended by ELIN");
    refuses("OBJE 3\nSTPT", "OBJE 3\nELIN\nSTPT", "line 32: ELIN ends no line");
    refuses("LIPT 2600200.000 1200100.000\n", "", "line 33: a line has one point");
    refuses("LIPT 2600160.000 1200020.000\nLIPT 2600120.000 1200020.000\n", "",
            "line 28: an arc has no end");
    refuses("ARCP 2600140.000 1200040", "ARCP 2600140.000 1290040",
            "line 28: an arc is 282766 m long, and 5000 m are the most that is read");
    refuses("ELIN\nETAB", "ETAB", "line 38: the table ends within a line");
    refuses("OBJE 100 7 2600070.000 1200065.000 0 0", "OBJE 100 7 2600070.000 0 0",
            "line 41: an area of land cover has 5 values, not the 6 of BoFlaeche");
    refuses(" 0 11\n", " 0 Gebaeude\n", "line 44: 'Gebaeude' is no number of land cover");
    refuses(" 0 11\n", " 0 11\\\n", "line 45: a line that goes on is not continued by CONT");
    refuses("ENDE\n", "", "line 48: the file ends before ENDE");
    refuses("ETAB\nETOP\nEMOD\n", "", "line 46: the transfer ends within a table");
    refuses("TOPI Bodenbedeckung", "TOPI", "line 6: TOPI has no name");
}

TEST_CASE("what is no transfer, and transfers without land cover") {
    CHECK_THAT(refused("a.itf", "MODL DM01AVCH24LV95D\n"),
               Catch::Contains("does not begin with SCNT. Hint: is it a transfer in INTERLIS 1?"));
    CHECK_THAT(refused("a.itf", with(to_text(town()), "SCNT\n", "SCNX\n")),
               Catch::Contains("line 1: 'SCNX' is no keyword of INTERLIS 1. Hint: is it"));
    CHECK_THAT(refused("a.itf", ""), Catch::Contains("line 0: it is no INTERLIS 1: no SCNT"));
    CHECK_THAT(refused("a.itf", std::string(std::size_t{3} << 20, 'x')),
               Catch::Contains("line 1: it has more than 1048576 characters"));
    auto itf = town();
    itf.table = "Liegenschaft";
    itf.geometry = "Liegenschaft_Geometrie";
    itf.topic = "Liegenschaften";
    CHECK_THAT(refused("a.itf", to_text(itf)),
               Catch::Contains("holds no land cover: none of its tables is called BoFlaeche, "
                               "SurfaceCS or SuperficieCS; its model: DM01AVCH24LV95D, its topics: "
                               "Liegenschaften. Hint: order the topic Bodenbedeckung"));
}

TEST_CASE("damage before the model is borne or named as any other") {
    refuses("MTID INTERLIS1", "XXXX INTERLIS1", "line 4: 'XXXX' is no keyword of INTERLIS 1");
    const TemporaryFolder folder("damage");
    const auto words = with(to_text(town()), "MTID INTERLIS1", "XXXX INTERLIS1");
    auto settings = keep_all({write(folder.path() / "a.itf", words)});
    settings.skip_damaged = true;
    const auto tiles = tiles_of(settings);
    CHECK(tiles.header.dropped.at("features that cannot be read") == 1);
    CHECK(pixels_of(tiles, LandClass::road) == 2000);
    // Without a model nobody knows whose numbers they are.
    settings.inputs = {
        write(folder.path() / "b.itf", with(to_text(town()), "MODL DM01AVCH24LV95D", "MODL"))};
    CHECK_THAT(refusal_of(settings), Catch::Contains("no model is given. Hint: --art-model"));
    settings.art_model = "DM01AVCH";
    CHECK((tiles_of(settings).tiles == tiles.tiles));
    // What is no transfer at all cannot be borne.
    settings.inputs = {write(folder.path() / "c.itf", with(to_text(town()), "SCNT", "XXXX"))};
    CHECK_THAT(refusal_of(settings), Catch::Contains("c.itf: line 1: 'XXXX' is no keyword"));
}

TEST_CASE("with --skip-damaged what is whole is read, and what is not is counted") {
    const TemporaryFolder folder("damage");
    auto words = with(to_text(town()), "LIPT 2600090.000 1200050.000", "LIPT 26000");
    words = with(words, " 0 11\n", "\n");
    words.resize(words.size() - 5);  // ENDE
    auto settings = keep_all({write(folder.path() / "a.itf", words)});
    settings.skip_damaged = true;
    const auto tiles = tiles_of(settings);
    // The house's line and the garden's row.
    CHECK(tiles.header.dropped.at("features that cannot be read") == 2);
    CHECK(tiles.header.dropped.at("ends of files that break off") == 1);
    CHECK(pixels_of(tiles, LandClass::road) == 2000);
    // What comes behind a line that should go on, here ETAB, is read.
    settings.inputs = {
        write(folder.path() / "b.itf", with(to_text(town()), "\nETAB\nETOP", "\\\nETAB\nETOP"))};
    const auto dropped = tiles_of(settings).header.dropped;
    CHECK(dropped.at("features that cannot be read") == 1);
    CHECK(dropped.count("ends of files that break off") == 0);
}

TEST_CASE("with --skip-damaged a transfer that ends before its land cover says so") {
    const TemporaryFolder folder("damage");
    const auto words = to_text(town());
    auto settings =
        keep_all({write(folder.path() / "a.itf", words.substr(0, words.find("TABL BoFlaeche\n")))});
    settings.skip_damaged = true;
    CHECK_THAT(refusal_of(settings),
               Catch::Contains("a.itf breaks off: line 39: the file ends before ENDE; what it had "
                               "before is read, and that is no land cover. Hint: fetch the file"));
}

TEST_CASE("lines that cross without end are refused in bounded time") {
    auto itf = town();
    for (int i = 0; i < 3000; ++i) {
        const double x = 0.05 * i;
        itf.lines.push_back({{x, 0}, {200 - x, 200}});
    }
    const TemporaryFolder folder("damage");
    CHECK_THAT(refusal_of(keep_all({write(folder.path() / "a.itf", itf)})),
               Catch::Contains("a.itf: the boundaries between areas cross each other too often"));
}

namespace {

/// Circles around one place, each an arc and an edge that closes it.
MadeItf circles(int count, double radius, double apart) {
    auto itf = town();
    for (int i = 0; i < count; ++i) {
        const double r = radius + apart * i;
        itf.lines.push_back({{r, 0}, {-r, 0.05 * r, true}, {0.99 * r, -0.14 * r}, {r, 0}});
    }
    return itf;
}

}  // namespace

TEST_CASE("long arcs that lie upon each other are refused in bounded time") {
    const TemporaryFolder folder("damage");
    // Of 4 km each; their chords are 3.5 million, and do not cross.
    const auto refusal =
        refusal_of(keep_all({write(folder.path() / "a.itf", circles(2000, 620, 0.02))}));
    CHECK_THAT(refusal, Catch::Contains("or lie too close upon each other") &&
                            Catch::Contains("Hint: fetch the file again"));
    // Some are read as any.
    const auto tiles = tiles_of(keep_all({write(folder.path() / "b.itf", circles(9, 620, 0.02))}));
    CHECK(pixels_of(tiles, LandClass::road) == 2000);
}

TEST_CASE("chords beyond the bound are not made") {
    linework::Arcs arcs;
    const auto circle = [&] {
        std::vector<linework::Point> points{{790, 0}};
        arcs.add(points, {-790, 39.5}, {782.1, -110.6});
        return std::ssize(points) - 1;
    };
    const auto chords = circle();
    std::int64_t made = chords;
    std::string refusal;
    while (refusal.empty() && made < 21'000'000) {
        try {
            made += circle();
        } catch (const Error& error) {
            refusal = error.what();
        }
    }
    CHECK(made <= 20'000'000);
    CHECK(made > 20'000'000 - 2 * chords);
    CHECK_THAT(refusal, Catch::Contains("and 20000000 are the most that is read"));
}
