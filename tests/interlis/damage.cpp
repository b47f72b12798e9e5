// Damaged and hostile transfers: named with the line, in bounded time.
#include "made_itf.hpp"
#include "maps/made_map.hpp"
#include "preprocess/interlis/land_cover_map.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace civitas;
using namespace civitas::interlis;
using namespace civitas::interlis::test;
using civitas::test::TemporaryFolder;
using maps::test::keep_all;
using maps::test::pixels_of;
using maps::test::refusal_of;
using maps::test::tiles_of;

namespace {

/// The refusal of a transfer of this text.
std::string refused(const std::string& words) {
    const TemporaryFolder folder("damage");
    return refusal_of(keep_all({write(folder.path() / "a.itf", words)}));
}

void refuses(const std::string& from, const std::string& to, const std::string& message) {
    INFO(from << " -> " << to);
    CHECK_THAT(
        refused(with(to_text(town()), from, to)),
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
    refuses("ELIN\nETAB", "ETAB", "line 38: the table ends within a line");
    refuses("OBJE 100 7 2600070.000 1200065.000 0 0", "OBJE 100 7 2600070.000 0 0",
            "line 41: an area of land cover has 5 values, not the 6 of BoFlaeche");
    refuses(" 0 11\n", " 0 Gebaeude\n", "line 44: 'Gebaeude' is no number of land cover");
    refuses(" 0 11\n", " 0 11\\\n", "line 45: a line that goes on is not continued by CONT");
    refuses("ENDE\n", "", "line 48: the file ends before ENDE");
    refuses("ETAB\nETOP\nEMOD\n", "", "line 46: the transfer ends within a table");
    refuses("TOPI Bodenbedeckung", "TOPI", "line 6: TOPI has no name");
    refuses("SCNT\n", "SCNX\n", "line 1: 'SCNX' is no keyword");
}

TEST_CASE("what is no transfer, and transfers without land cover") {
    CHECK_THAT(refused("MODL DM01AVCH24LV95D\n"), Catch::Contains("does not begin with SCNT"));
    CHECK_THAT(refused(""), Catch::Contains("line 0: it is no INTERLIS 1: no SCNT"));
    CHECK_THAT(refused(std::string(std::size_t{3} << 20, 'x')),
               Catch::Contains("line 1: it has more than 1048576 characters"));
    auto itf = town();
    itf.table = "Liegenschaft";
    itf.geometry = "Liegenschaft_Geometrie";
    itf.topic = "Liegenschaften";
    CHECK_THAT(refused(to_text(itf)),
               Catch::Contains("holds no land cover: none of its tables is called BoFlaeche, "
                               "SurfaceCS or SuperficieCS; its model: DM01AVCH24LV95D, its topics: "
                               "Liegenschaften. Hint: order the topic Bodenbedeckung"));
}

TEST_CASE("with --skip-damaged what is whole is read, and what is not is counted") {
    const TemporaryFolder folder("damage");
    auto words = with(to_text(town()), "LIPT 2600090.000 1200050.000", "LIPT 26000");
    words = with(words, " 0 11\n", "\n");
    words.resize(words.size() - 5);  // ENDE
    auto settings = keep_all({write(folder.path() / "a.itf", words)});
    settings.skip_damaged = true;
    const auto tiles = tiles_of(settings);
    // The house's line, the garden's row, and the end.
    CHECK(tiles.header.dropped.at("features that cannot be read") == 3);
    CHECK(pixels_of(tiles, LandClass::road) == 2000);
}

TEST_CASE("damage before the model is borne too, and a file that ends early is told by its line") {
    const TemporaryFolder folder("damage");
    const auto early = with(to_text(town()), "MTID INTERLIS1\n", "MTID INTERLIS1\nXXXX\n");
    auto settings = keep_all({write(folder.path() / "a.itf", early)});
    CHECK_THAT(refusal_of(settings), Catch::Contains("line 5: 'XXXX' is no keyword"));
    settings.skip_damaged = true;
    const auto tiles = tiles_of(settings);
    CHECK(tiles.header.dropped.at("features that cannot be read") == 1);
    CHECK(pixels_of(tiles, LandClass::road) == 2000);

    const auto warnings_of = [&](const std::string& words) {
        const FileName file{write(folder.path() / "b.itf", words), "b.itf"};
        return read_land_cover(file, Format::interlis1, true).warnings;
    };
    CHECK(warnings_of(early).empty());
    CHECK(warnings_of(with(to_text(town()), "ETOP\nEMOD\nENDE\n", "")) ==
          std::vector<std::string>{
              "b.itf is damaged or cut short: nothing of it is read after line 46"});
}

TEST_CASE("many arcs of kilometres are refused before all are chords") {
    auto itf = town();
    for (int i = 0; i < 400; ++i) {
        const double r = 620 + 0.02 * i;
        itf.lines.push_back({{r, 0}, {-r, 0, true}, {r * std::cos(6.2), r * std::sin(6.2)}});
    }
    CHECK_THAT(refused(to_text(itf)),
               Catch::Contains("arcs are too long to be those of a survey: 1") &&
                   Catch::Contains("chords, and 250000 and 200 an arc are the most"));
    itf.lines.resize(60);
    CHECK_THAT(refused(to_text(itf)), !Catch::Contains("arcs are too long"));
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
