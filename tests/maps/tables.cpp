#include "preprocess/maps/crs.hpp"
#include "preprocess/maps/ending.hpp"
#include "preprocess/maps/land_cover.hpp"
#include "preprocess/maps/osm.hpp"
#include "preprocess/maps/selector.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace civitas;
using namespace civitas::maps;

TEST_CASE("land cover is known in every published spelling") {
    for (const auto* building : {"Gebaeude", "GEBAEUDE", "Gebäude", "Gebaeude.Wohngebaeude"})
        CHECK(land_class_of_name(building) == LandClass::building);
    for (const auto* road :
         {"Strasse_Weg", "befestigt.Strasse_Weg", "befestigt.Strasse_Weg.Strasse",
          "befestigt.Trottoir", "Verkehrsinsel"})
        CHECK(land_class_of_name(road) == LandClass::road);
    for (const auto* other :
         {"Bahn", "befestigt.Bahn.Tramareal", "Acker_Wiese_Weide", "Acker_Wiese", "stehendes",
          "stehendes_Gewaesser", "Gewaesser_stehendes", "Gewaesser.fliessendes", "Schilfgürtel",
          "uebrige_befestigte", "befestigt.uebrige_befestigte.Parkplatz", "Wytweide_dicht",
          "vegetationslos.Geroell_Sand", "geschlossener Wald"})
        CHECK(land_class_of_name(other) == LandClass::other);
}

TEST_CASE("unknown land cover is not guessed") {
    for (const auto* word : {"", "Haus", "Gebaeudeteil", "Strassenbahn", "7"})
        CHECK_FALSE(land_class_of_name(word).has_value());
}

TEST_CASE("federal numbers are those of the model's list") {
    CHECK(land_class_of_number(0) == LandClass::building);
    for (const int road : {1, 2, 3}) CHECK(land_class_of_number(road) == LandClass::road);
    for (int other = 4; other <= 25; ++other)
        CHECK(land_class_of_number(other) == LandClass::other);
    CHECK_FALSE(land_class_of_number(26).has_value());
    CHECK_FALSE(land_class_of_number(-1).has_value());
    CHECK(land_cover_number("18") == 18);
    CHECK_FALSE(land_cover_number("18a").has_value());
    CHECK(is_federal_model("DM01AVCH24LV95D"));
    for (const auto* model : {"DM01AVCH", "DM01AVCH24D", "MD01MOCH24MN95F", "MD01MUCH24MN95I"})
        CHECK(is_federal_model(model));
    for (const auto* model : {"DM01AVSO24LV95", "DM01AVCHZG24", "DM01AVCH24LV95D_ZH", ""})
        CHECK_FALSE(is_federal_model(model));
}

namespace {

Tags tagged(std::map<std::string, std::string> all) {
    return [all = std::move(all)](std::string_view key) -> std::optional<std::string> {
        const auto found = all.find(std::string(key));
        return found == all.end() ? std::nullopt : std::optional(found->second);
    };
}

}  // namespace

TEST_CASE("roads have the width of their class, or their own") {
    CHECK(road_width(tagged({{"highway", "primary"}})) == 8.0);
    CHECK(road_width(tagged({{"highway", "motorway_link"}})) == 10.0);
    CHECK(road_width(tagged({{"highway", "residential"}, {"width", "7.5"}})) == 7.5);
    CHECK(road_width(tagged({{"highway", "residential"}, {"width", "7 m"}})) == 7.0);
    for (const auto* nonsense : {"wide", "0", "400", "20'", "nan"})
        CHECK(road_width(tagged({{"highway", "residential"}, {"width", nonsense}})) == 5.5);
}

TEST_CASE("what is no road on the ground is left out") {
    for (const auto* kind : {"proposed", "construction", "platform", "corridor", "razed"})
        CHECK_FALSE(road_width(tagged({{"highway", kind}})).has_value());
    CHECK_FALSE(road_width(tagged({{"highway", "primary"}, {"tunnel", "yes"}})).has_value());
    CHECK_FALSE(road_width(tagged({{"highway", "primary"}, {"layer", "-1"}})).has_value());
    CHECK(road_width(tagged({{"highway", "primary"}, {"tunnel", "no"}, {"layer", "1"}})) == 8.0);
    CHECK_FALSE(road_width(tagged({{"waterway", "river"}})).has_value());
    CHECK(is_road_area(tagged({{"highway", "pedestrian"}, {"area", "yes"}})));
    CHECK_FALSE(is_road_area(tagged({{"highway", "pedestrian"}})));
}

TEST_CASE("buildings stand on the ground") {
    CHECK(is_building(tagged({{"building", "yes"}})));
    CHECK_FALSE(is_building(tagged({{"building", "no"}})));
    CHECK_FALSE(is_building(tagged({{"building", "garage"}, {"layer", "-1"}})));
    CHECK_FALSE(is_building(tagged({{"building", "yes"}, {"location", "underground"}})));
    CHECK_FALSE(is_building(tagged({{"landuse", "forest"}})));
}

TEST_CASE("less frequent tags are found in GDAL's text") {
    const std::string tags = R"("note"=>"say \"width\"=>\"9\"","width"=>"3.5","layer"=>"-1")";
    CHECK(other_tag(tags, "width") == "3.5");
    CHECK(other_tag(tags, "layer") == "-1");
    CHECK(other_tag(tags, "note") == R"(say "width"=>"9")");
    CHECK_FALSE(other_tag(tags, "idth").has_value());
    CHECK_FALSE(other_tag("", "width").has_value());
}

TEST_CASE("a selector finds a layer by its name, or its file's, colons included") {
    const std::vector<LayerName> layers{
        {"roads", "city"}, {"ms:LCSF", "city"}, {"BuildingPart", "bgt_pand"}};
    CHECK(select_layer("roads", layers)->layer == 0);
    CHECK(select_layer("Roads:kind = 'a:b'", layers)->where == "kind = 'a:b'");
    CHECK(select_layer("ms:lcsf", layers)->layer == 1);
    CHECK(select_layer("ms:LCSF:Art = 0", layers)->where == "Art = 0");
    CHECK(select_layer("bgt_pand:x > 1", layers)->layer == 2);
    CHECK(select_layer("buildingpart", layers)->layer == 2);
    CHECK_FALSE(select_layer("road", layers).has_value());
    CHECK_FALSE(select_layer("ms", layers).has_value());
    CHECK(names_file("bgt_pand:x > 1", "bgt_pand"));
    CHECK_FALSE(names_file("bgt_pand", "bgt_pan"));
}

TEST_CASE("tiles need metres on the ground") {
    const auto why = [](const char* crs) { return why_not_metric(parse_crs(crs)).value_or(""); };
    CHECK(why("EPSG:2056").empty());
    CHECK(why("EPSG:32632").empty());
    CHECK(why("EPSG:28992").empty());
    CHECK(why("EPSG:4326") == "is in degrees");
    CHECK_THAT(why("EPSG:3857"), Catch::Contains("Mercator"));
    CHECK_THAT(why("EPSG:3395"), Catch::Contains("Mercator"));
    CHECK_THAT(why("EPSG:2263"), Catch::Contains("unit"));  // New York, in feet
    CHECK_THAT(why("EPSG:4978"), Catch::Contains("not a projected"));
}

TEST_CASE("a kilometre of a system is about one on the ground, or the system is refused") {
    const auto degrees = parse_crs("EPSG:4326");
    const auto at = [&](const char* name, double east, double north) {
        const auto crs = parse_crs(name);
        const std::unique_ptr<OGRCoordinateTransformation> there(
            OGRCreateCoordinateTransformation(&degrees, &crs));
        Place place{east, north};
        REQUIRE(there->Transform(1, &place.x, &place.y) != 0);
        return std::pair(crs, place);
    };
    for (const auto& [name, east, north] : {std::tuple{"EPSG:2056", 7.4, 46.9},
                                            {"EPSG:32632", 9.5, 47.2},
                                            {"EPSG:32632", 3.0, 50.0},
                                            {"EPSG:31467", 9.0, 50.0},
                                            {"EPSG:28992", 5.8, 52.1},
                                            {"EPSG:2154", 3.0, 46.5},
                                            {"EPSG:3035", 7.4, 46.9},
                                            {"EPSG:3035", -9.1, 38.7},
                                            {"EPSG:3035", 23.7, 38.0},
                                            {"EPSG:27700", -3.2, 58.0},
                                            {"EPSG:32719", -70.7, -33.4}}) {
        const auto [crs, place] = at(name, east, north);
        const auto length = kilometre_on_ground(crs, place);
        REQUIRE(length);
        INFO(name << " at " << east << ", " << north << ": " << length->least << " to "
                  << length->most);
        CHECK_NOTHROW(require_true_scale(crs, place));
    }
    for (const auto& [name, east, north] : {std::tuple{"EPSG:4087", 7.4, 46.9},
                                            {"EPSG:32662", 7.4, 46.9},
                                            {"ESRI:54009", 7.4, 46.9},
                                            {"EPSG:6933", 7.4, 46.9},
                                            {"EPSG:3035", 60.0, 70.0},
                                            {"EPSG:32632", 35.0, 10.0}}) {
        const auto [crs, place] = at(name, east, north);
        INFO(name);
        CHECK_THROWS_WITH(require_true_scale(crs, place),
                          Catch::Contains("m on the ground in the middle of the map") &&
                              Catch::Contains("Hint: --crs EPSG:326"));
    }
    const auto [crs, place] = at("EPSG:4087", 7.4, 46.9);
    CHECK_THROWS_WITH(require_true_scale(crs, place),
                      Catch::Contains("a kilometre of EPSG:4087 (WGS 84 / World Equidistant "
                                      "Cylindrical) is 684 to 999 m on the ground") &&
                          Catch::Contains("--crs EPSG:32632, the local UTM zone"));
}

TEST_CASE("an object has ended when the date of its end has come") {
    using namespace std::chrono;
    const sys_days today = 2026y / November / 26;
    for (const auto* gone : {"2026-11-25", "2019-01-01T00:00:00Z", "2019/01/01", "20190101",
                             "20190101120000", "2019/01/01 00:00:00+00", "2024-02-29"})
        CHECK(has_come(gone, today));
    for (const auto* ahead : {"", "2026-11-26", "9999-12-31", "2099-12-31T23:59:59Z", "9999/12/31",
                              "99991231", "2099/12/31 12:00:00"})
        CHECK_FALSE(has_come(ahead, today));
    for (const auto* none : {"yes", "2099", "2099-13-01", "2099-02-30", "2099-12/31", "2099-1-1",
                             "+099-12-31", "0", "31.12.2099"}) {
        CHECK_FALSE(day_in(none));
        CHECK(has_come(none, today));
    }
}

TEST_CASE("the local UTM zone is found on both sides of the equator") {
    const auto degrees = parse_crs("EPSG:4326");
    CHECK(epsg(utm_zone(degrees, {9.5, 47.2})) == 32632);
    CHECK(epsg(utm_zone(degrees, {-70.7, -33.4})) == 32719);
    CHECK(epsg(utm_zone(degrees, {180, 10})) == 32660);
    CHECK(epsg(utm_zone(parse_crs("EPSG:3857"), {1603300, 6464100})) == 32633);
    CHECK_THROWS_WITH(utm_zone(degrees, {10, 95}), Catch::Contains("not on Earth"));
}
