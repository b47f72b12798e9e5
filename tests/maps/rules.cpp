// Files of rules: how they are read, what they make of maps, and the ready ones on maps in their
// schemas.
#include "preprocess/rules/rules.hpp"

#include "made_map.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::rules::parse_rules;
using civitas::test::TemporaryFolder;

namespace {

std::string line(double x, double y, double length) {
    return text(std::fixed, "LINESTRING(", 2600000 + x, ' ', 1200000 + y, ',', 2600000 + x + length,
                ' ', 1200000 + y, ')');
}

/// Square metres of a line of this width with round ends.
double widened(double length, double width) { return length * width + M_PI * width * width / 4; }

MadeLayer layer(const char* name, const char* field, std::vector<MadeFeature> features) {
    return {name, field, OFTString, 2056, std::move(features)};
}

Settings by_rules(const std::string& map, const std::string& layers) {
    auto settings = keep_all({map});
    settings.layers = layers;
    return settings;
}

std::string write_rules(const TemporaryFolder& folder, const std::string& words) {
    std::ofstream(folder.path() / "rules.ini") << words;
    return folder.path() / "rules.ini";
}

double metres(const Tiles& tiles, LandClass value) {
    return static_cast<double>(pixels_of(tiles, value));
}

}  // namespace

TEST_CASE("the first rule that fits a feature decides") {
    const TemporaryFolder folder("rules");
    const auto map = write_map(folder.path() / "town.gpkg",
                               {layer("Objects", "kind",
                                      {{"house", rectangle(0, 0, 50, 50)},
                                       {"ruin", rectangle(100, 0, 50, 50)},
                                       {"House of cards", rectangle(0, 100, 30, 30)},
                                       {"pond", rectangle(100, 100, 20, 20)},
                                       {"", rectangle(150, 100, 20, 20)}}),
                                layer("ways", "class",
                                      {{"main", line(0, 60, 200)},
                                       {"lane", line(0, 80, 200)},
                                       {"rail", line(0, 90, 200)}})});
    const auto rules = write_rules(folder, R"(# a town
[ruins]
layer = objects
field = state, kind
values = ruin*, wreck  # what is left
class = ignore
[houses]
layer = obj*
field = kind
values = !pond
class = building
[water]
layer = objects
class = other
[rails]
layer = ways
field = class
values = rail
class = other
[ways]
layer = ways
field = class
widths = main 12
widths = lane 4
class = road
)");
    const auto tiles = tiles_of(by_rules(map, rules));
    CHECK(metres(tiles, LandClass::building) == 2500 + 900);
    CHECK(metres(tiles, LandClass::road) ==
          Approx(widened(200, 12) + widened(200, 4)).epsilon(0.02));
    CHECK(tiles.header.dropped.at("features that a rule ignores") == 1);
    CHECK(tiles.header.dropped.count("features that no rule fits") == 0);
}

TEST_CASE("a rule may ignore a file by its name, but not by a pattern of it") {
    const TemporaryFolder folder("rules");
    write_map(folder.path() / "old.gpkg",
              {layer("objects", "kind", {{"house", rectangle(0, 0, 50, 50)}})});
    write_map(folder.path() / "new.gpkg",
              {layer("objects", "kind", {{"house", rectangle(100, 0, 30, 30)}})});
    const auto buildings = [&](const std::string& pattern) {
        const auto rules = write_rules(folder, "[left out]\nlayer = " + pattern +
                                                   "\nclass = ignore\n[houses]\nlayer = objects\n"
                                                   "class = building\n");
        return metres(tiles_of(by_rules(folder.path().string(), rules)), LandClass::building);
    };
    CHECK(buildings("old") == 900);
    CHECK(buildings("OLD, nothing") == 900);
    CHECK(buildings("new") == 2500);
    CHECK(buildings("*old*") == 2500 + 900);
}

TEST_CASE("lines are as wide as their field, their value, their rule or --road-width say") {
    const TemporaryFolder folder("rules");
    const auto map = write_map(
        folder.path() / "town.gpkg",
        {layer("a", "w", {{"10", line(0, 20, 200)}}), layer("b", "x", {{"1", line(0, 60, 200)}}),
         layer("c", "x", {{"1", line(0, 100, 200)}}), layer("d", "x", {{"1", line(0, 140, 200)}})});
    const auto width_of = [&](const std::string& rule) {
        auto settings = by_rules(map, write_rules(folder, "[r]\nclass = road\n" + rule));
        settings.road_width = 8;
        return metres(tiles_of(settings), LandClass::road);
    };
    CHECK(width_of("layer = a\nwidth-field = W\nwidth = 3") ==
          Approx(widened(200, 10)).epsilon(.02));
    CHECK(width_of("layer = b\nwidth-field = W\nwidth = 3") ==
          Approx(widened(200, 3)).epsilon(.02));
    CHECK(width_of("layer = c\nfield = x\nwidths = 2 5\nwidth = 4") ==
          Approx(widened(200, 4)).epsilon(.02));
    CHECK(width_of("layer = d") == Approx(widened(200, 8)).epsilon(.02));
}

TEST_CASE("what is wrong in a file of rules is said with its line") {
    const auto refusal = [](const std::string& words) -> std::string {
        try {
            static_cast<void>(parse_rules(words, "r.ini"));
        } catch (const UsageError& e) {
            return e.what();
        }
        return "";
    };
    const std::vector<std::pair<const char*, const char*>> cases{
        {"", "r.ini:0: there are no rules"},
        {"layer = a", "r.ini:1: a rule begins with its name in [ ]"},
        {"[a\nlayer = a", "r.ini:1: the name of a rule stands in [ ]"},
        {"[a]\nlayer", "r.ini:2: a line is NAME = VALUE"},
        {"[a]\nlayers = a", "r.ini:2: 'layers' is none of layer, class, field"},
        {"[a]\nlayer = a,,b", "r.ini:2: a word is missing between commas"},
        {"[a]\nlayer = a\nclass = house", "r.ini:3: class house is none of building, road"},
        {"[a]\nclass = road", "r.ini:1: rule [a] has no layer"},
        {"[a]\nlayer = a\n\n[b]\n", "r.ini:1: rule [a] has no class"},
        {"[a]\nlayer = a\nclass = road\nvalues = 1", "r.ini:1: rule [a] has no field"},
        {"[a]\nlayer = a\nclass = land-cover", "r.ini:1: rule [a] has no field"},
        {"[a]\nlayer = a\nclass = land-cover\nfield = Art\nvalues = 1",
         "r.ini:1: rule [a] is of land cover, whose values are known"},
        {"[a]\nlayer = a\nclass = other\nwidth = 3",
         "r.ini:1: rule [a] has a width and is no road"},
        {"[a]\nwidth = wide", "r.ini:2: 'wide' is no width of 0.1 to 100 metres"},
        {"[a]\nwidth = nan", "r.ini:2: 'nan' is no width"},
        {"[a]\nwidths = main", "r.ini:2: widths are VALUE METRES"}};
    for (const auto& [words, message] : cases) {
        INFO(words);
        CHECK_THAT(refusal(words), Catch::Contains(message) && Catch::Contains("Hint: [houses]"));
    }
    std::string many;
    for (int i = 0; i < 1002; ++i) many += "[a]\nlayer = a\nclass = road\n";
    CHECK_THAT(refusal(many), Catch::Contains("more than 1000 rules"));
}

TEST_CASE("a file of rules may begin with a byte order mark") {
    CHECK(parse_rules("\xEF\xBB\xBF[a]\nlayer = x\nclass = road\n", "r.ini").size() == 1);
}

TEST_CASE("rules that are missing, or name no layer") {
    const TemporaryFolder folder("rules");
    const auto map = write_map(folder.path() / "t.gpkg",
                               {layer("houses", "kind", {{"a", rectangle(0, 0, 50, 50)}}),
                                layer("ways", "class", {{"b", line(0, 60, 200)}})});
    CHECK_THAT(
        refusal_of(by_rules(map, "nowhere.ini")),
        Catch::Contains("--layers nowhere.ini: there is no such file. Hint: --layers "
                        "FILE.ini, or the ready rules osm, swiss, bgt, alkis or geoclimate"));
    const std::string start =
        "[houses]\nlayer = houses\nclass = building\n# field = kind\n# values = ...\n"
        "[ways]\nlayer = ways\nclass = road\n# field = class\n# values = ...\n";
    CHECK_THAT(
        refusal_of(by_rules(map, "bgt")),
        Catch::Contains("no rule of --layers bgt names a layer of ") && Catch::Contains(start));
    // The rules that are printed for an unknown map are rules that read it.
    const auto unknown = refusal_of(keep_all({map}));
    CHECK_THAT(unknown, Catch::Contains("--layers FILE.ini, with rules as these to start from"));
    const auto printed = unknown.substr(unknown.find("[houses]"));
    const auto tiles = tiles_of(by_rules(map, write_rules(folder, printed)));
    CHECK(metres(tiles, LandClass::building) == 2500);
    CHECK(metres(tiles, LandClass::road) == Approx(widened(200, 6)).epsilon(0.02));
    auto both = by_rules(map, "osm");
    both.buildings = "houses";
    both.roads = "ways";
    CHECK_THROWS_WITH(validate(both), Catch::Contains("--layers says what is a building"));
}

TEST_CASE("patterns of a rule that ignores name layers alone, those of others files too") {
    const TemporaryFolder folder("rules");
    const auto map = write_map(folder.path() / "town.gpkg",
                               {layer("a", "kind", {{"x", rectangle(0, 0, 50, 50)}}),
                                layer("b", "kind", {{"x", rectangle(100, 0, 30, 30)}})});
    const auto buildings_by = [&](const std::string& rules) {
        return metres(tiles_of(by_rules(map, write_rules(folder, rules))), LandClass::building);
    };
    const std::string whole_file = "[houses]\nlayer = town\nclass = building\n";
    CHECK(buildings_by(whole_file) == 2500 + 900);
    CHECK(buildings_by("[gone]\nlayer = tow*\nclass = ignore\n" + whole_file) == 2500 + 900);
    CHECK(buildings_by("[gone]\nlayer = b\nclass = ignore\n" + whole_file) == 2500);
}

TEST_CASE("ready rules read maps in the schemas they are for") {
    const TemporaryFolder folder("rules");
    const auto house = rectangle(0, 0, 50, 50), hall = rectangle(100, 0, 50, 50),
               street = rectangle(0, 60, 200, 10), square = rectangle(0, 80, 20, 20),
               field = rectangle(100, 100, 50, 50);
    const auto check = [&](const char* rules, const std::vector<MadeLayer>& layers,
                           double buildings, double roads) {
        INFO(rules);
        const auto map = write_map(folder.path() / (text(rules, layers.size()) + ".gpkg"), layers);
        const auto tiles = tiles_of(by_rules(map, rules));
        CHECK(metres(tiles, LandClass::building) == buildings);
        CHECK(metres(tiles, LandClass::road) == Approx(roads).epsilon(0.02));
    };
    check("alkis",
          {layer("ax_gebaeude", "lagezurerdoberflaeche", {{"", house}, {"1200", hall}}),
           layer("AX_Strassenverkehr", "zustand", {{"", street}}),
           layer("ax_platz", "funktion", {{"", square}}),
           layer("ax_bahnverkehr", "zustand", {{"", field}})},
          2500, 2400);
    check("alkis",
          {layer("GebaeudeBauwerk", "gebnutzbez", {{"Wohnhaus", house}}),
           layer("Nutzung", "nutzart",
                 {{"Straßenverkehr", street}, {"Platz", square}, {"Landwirtschaft", field}})},
          2500, 2400);
    check("alkis", {layer("ax_gebaeude", "endet", {{"", house}, {"2019-01-01T00:00:00Z", hall}})},
          2500, 0);
    check("geoclimate",
          {layer("building", "type", {{"house", house}, {"", hall}}),
           layer("road", "WIDTH", {{"10", line(0, 65, 200)}}),
           layer("vegetation", "type", {{"wood", field}})},
          5000, widened(200, 10));
    check("geoclimate",
          {layer("building", "type", {{"house", house}}),
           layer("road", "ZINDEX", {{"-1", line(0, 65, 200)}, {"0", line(0, 90, 200)}})},
          2500, widened(200, 6));
    check("osm",
          {layer("gis_osm_buildings_a_free_1", "code", {{"1500", house}}),
           layer("gis_osm_roads_free_1", "fclass",
                 {{"track_grade2", line(0, 65, 200)}, {"proposed", line(0, 90, 200)}}),
           layer("gis_osm_traffic_a_free_1", "fclass", {{"service", field}})},
          2500, widened(200, 3));
    check("osm",
          {layer("multipolygons", "building", {{"yes", house}, {"no", hall}, {"", field}}),
           layer("lines", "highway", {{"primary_link", line(0, 65, 200)}})},
          2500, widened(200, 8));
    check("bgt",
          {layer("pand", "bronhouder", {{"G0228", house}}),
           layer("wegdeel", "function",
                 {{"rijbaan lokale weg", street}, {"spoorbaan", field}, {"voetpad", square}}),
           layer("ondersteunendwegdeel", "function", {{"berm", hall}})},
          2500, 2400);
    check("swiss",
          {layer("lcsf", "Art",
                 {{"Gebaeude", house}, {"befestigt.Trottoir", street}, {"Reben", field}}),
           layer("lcsfproj", "Art", {{"Gebaeude", hall}})},
          2500, 2000);
}

TEST_CASE("ready rules give real maps the tiles that they are known to have") {
    if (real_maps().empty()) return;
    const auto same = [](const char* map, const char* rules, auto&& otherwise) {
        Settings settings;
        settings.inputs = {real_maps() + "/" + map};
        settings.output = "unused.h5";
        settings.pixels = 64;
        settings.keep_edge = true;
        settings.layers = rules;
        const auto by_rules = tiles_of(settings);
        settings.layers.clear();
        otherwise(settings);
        CHECK(by_rules.tiles.size() > 5);
        CHECK((by_rules.tiles == tiles_of(settings).tiles));
        return by_rules.header;
    };
    const auto as_it_is = [](Settings&) {};
    CHECK_THAT(
        same("liechtenstein_osm_latest/liechtenstein-latest.osm.pbf", "osm", as_it_is).licence,
        Catch::Contains("ODbL"));
    same("ch_lcsf_derived/lcsf_449_sauge_be.gpkg", "swiss", as_it_is);
    same("so_dm01_ch_itf/bb-dm01-real-extract.itf", "swiss", as_it_is);
    same("bgt_otterlo_gml/otterlo.zip", "bgt", [](Settings& settings) {
        settings.buildings = "bgt_pand";
        settings.roads = "bgt_wegdeel";
    });
}
