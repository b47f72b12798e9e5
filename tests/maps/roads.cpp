// Roads given by --roads are as wide as they say, and only those that lie on the ground count.
#include "made_map.hpp"
#include "preprocess/maps/osm.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;

namespace {

std::string feature(const std::string& properties, const std::string& geometry) {
    return text(R"({"type":"Feature","properties":{)", properties, R"(},"geometry":)", geometry,
                "}");
}

std::string layer(const std::vector<std::string>& features) {
    std::string all;
    for (const auto& f : features) all += (all.empty() ? "" : ",") + f;
    return text(R"({"type":"FeatureCollection","crs":{"type":"name","properties":{"name":)",
                R"("urn:ogc:def:crs:EPSG::2056"}},"features":[)", all, "]}");
}

/// A street of 100 m, one beside the other.
std::string street(int number, const std::string& properties) {
    const int north = 1200000 + 25 + 30 * number;
    return feature(properties, text(R"({"type":"LineString","coordinates":[[2600050,)", north,
                                    "],[2600150,", north, "]]}"));
}

/// Buildings without a field, and these roads.
Settings town(const TemporaryFolder& folder, const std::vector<std::string>& roads) {
    std::ofstream(folder.path() / "houses.geojson") << layer({feature(
        R"("floors":2)", R"({"type":"Polygon","coordinates":[[[2600000,1200000],[2600020,1200000],)"
                         R"([2600020,1200020],[2600000,1200020],[2600000,1200000]]]})")});
    std::ofstream(folder.path() / "ways.geojson") << layer(roads);
    auto settings = keep_all({folder.path().string()});
    settings.buildings = "houses";
    settings.roads = "ways";
    return settings;
}

double road_metres(const Settings& settings) {
    return static_cast<double>(pixels_of(tiles_of(settings), LandClass::road));
}

/// Of a street with its round ends.
double burned(double width) { return 100 * width + M_PI * width * width / 4; }

}  // namespace

TEST_CASE("a numeric width burns as wide as it says") {
    const TemporaryFolder folder("widths");
    CHECK(road_metres(town(folder, {street(0, R"("width":2)"), street(1, R"("width":10.0)")})) ==
          Approx(burned(2) + burned(10)).epsilon(0.02));
}

TEST_CASE("a textual width, a class, and a width that is none") {
    const TemporaryFolder folder("texts");
    const auto settings = town(folder, {street(0, R"("width":"3,0 m","highway":"primary")"),
                                        street(1, R"("width":"wide","highway":"primary")"),
                                        street(2, R"("width":null,"highway":"alley")"),
                                        street(3, R"("width":null,"highway":"proposed")")});
    CHECK(road_metres(settings) == Approx(burned(3) + burned(8) + burned(6)).epsilon(0.02));
    const auto dropped = tiles_of(settings).header.dropped;
    CHECK(dropped.at("roads whose width is none in metres, taken as usual") == 1);
    CHECK(dropped.at("roads of unknown class, of default width") == 1);
    CHECK(dropped.at("roads below ground or of no built kind") == 1);
}

TEST_CASE("what lies in tunnels and below ground by its fields is no road here") {
    const TemporaryFolder folder("tunnels");
    const auto settings = town(folder, {street(0, R"("tunnel":"no","layer":1,"level":null)"),
                                        street(1, R"("tunnel":"yes","layer":0,"level":null)"),
                                        street(2, R"("tunnel":"T","layer":0,"level":null)"),
                                        street(3, R"("tunnel":"F","layer":-1,"level":null)"),
                                        street(4, R"("tunnel":null,"layer":0,"level":"-1")"),
                                        street(5, R"("tunnel":null,"layer":0,"level":"-1;0")")});
    CHECK(road_metres(settings) == Approx(2 * burned(6)).epsilon(0.02));
    CHECK(tiles_of(settings).header.dropped.at("roads below ground or of no built kind") == 4);
}

TEST_CASE("--road-width takes metres or the field that holds them") {
    const TemporaryFolder folder("fields");
    auto settings = town(folder, {street(0, R"("breite":9,"width":2)")});
    settings.width_field = "breite";
    CHECK(road_metres(settings) == Approx(burned(9)).epsilon(0.02));
    settings.width_field = "largeur";
    CHECK_THROWS_WITH(tiles_of(settings), Catch::Contains("layer ways") &&
                                              Catch::Contains("has no field largeur") &&
                                              Catch::Contains("breite, width"));
    const auto read = [](const char* words, std::vector<const char*> more = {}) {
        std::vector<const char*> line{"civitas-preprocess", "a.gpkg", "--output", "t.h5",
                                      "--road-width",       words};
        line.insert(line.end(), more.begin(), more.end());
        return read_settings(static_cast<int>(line.size()), line.data());
    };
    CHECK(read("4.5", {"--layers", "osm"}).road_width == 4.5);
    CHECK(read("breite").width_field == "breite");
    CHECK(read("breite").road_width == 6);
    CHECK_THROWS_WITH(
        read("7,5", {"--layers", "osm"}),
        Catch::Contains("--road-width 7,5: metres have a point. Hint: --road-width 7.5"));
    CHECK_THROWS_WITH(read("7.5"), Catch::Contains("--road-width 7.5 is of use with --roads and "
                                                   "--layers alone") &&
                                       Catch::Contains("Hint: "));
}

TEST_CASE("a field of widths that no road has is refused, whatever says what a road is") {
    const TemporaryFolder folder("no field");
    auto settings = town(folder, {street(0, R"("breite":9,"highway":"service")")});
    settings.buildings = settings.roads = "";
    settings.layers = (folder.path() / "rules.ini").string();
    std::ofstream(settings.layers) << "[houses]\nlayer = houses\nclass = building\n"
                                      "[ways]\nlayer = ways\nclass = road\n";
    settings.width_field = "breite";
    CHECK(road_metres(settings) == Approx(burned(9)).epsilon(0.02));
    settings.width_field = "largeur";
    const auto* refused = "--road-width largeur: no road that was read has such a field. Hint: ";
    CHECK_THAT(refusal_of(settings), Catch::Contains(refused));

    std::ofstream(folder.path() / "town.osm")
        << R"(<osm version="0.6"><bounds minlat="46.9" minlon="7.4" maxlat="47.1" maxlon="7.6"/>)"
        << R"(<node id="1" lat="47" lon="7.5"/><node id="2" lat="47" lon="7.502"/>)"
        << R"(<way id="3"><nd ref="1"/><nd ref="2"/><tag k="highway" v="service"/>)"
        << R"(<tag k="est_width" v="9"/></way></osm>)";
    auto extract = keep_all({(folder.path() / "town.osm").string()});
    extract.width_field = "est_width";
    CHECK(road_metres(extract) > 1000);
    extract.width_field = "largeur";
    CHECK_THAT(refusal_of(extract), Catch::Contains(refused));
}

TEST_CASE("OpenStreetMap read by --buildings and --roads is what it is when recognised") {
    const auto tags = [](const char* tunnel) -> Tags {
        return [tunnel](std::string_view key) -> std::optional<std::string> {
            if (key == "highway" || key == "fclass") return "residential";
            return key == "tunnel" ? std::optional<std::string>(tunnel) : std::nullopt;
        };
    };
    const RoadRule by_field{"fclass", "width", 6};
    for (const auto* tunnel : {"yes", "no"}) {
        CHECK(road_of(tags(tunnel)).kind == road_of(tags(tunnel), by_field).kind);
        CHECK(road_of(tags(tunnel)).metres == road_of(tags(tunnel), by_field).metres);
    }
}
