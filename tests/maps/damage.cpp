// Maps that are damaged, cut short, or full of nonsense: named, counted, and read in bounded time.
#include "made_map.hpp"
#include "preprocess/maps/geometry.hpp"
#include "support/temporary.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <fstream>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr int houses = 400;

MadeLayer town() {
    MadeLayer layer;
    for (int i = 0; i < houses; ++i)
        layer.features.push_back({"Gebaeude", rectangle(20 * (i % 20), 20 * (i / 20), 9, 9)});
    layer.features.push_back({"Strasse_Weg", rectangle(0, 12, 400, 6)});
    return layer;
}

fs::path cut_in_half(const fs::path& file) {
    fs::resize_file(file, fs::file_size(file) / 2);
    return file;
}

/// The geometry of every other feature made unreadable.
void spoil_geometries(const std::string& map) {
    const Dataset dataset(GDALDataset::Open(map.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
    static_cast<void>(dataset->ExecuteSQL(
        "UPDATE lcsf SET geom = substr(geom, 1, 60) WHERE fid % 2 = 0", nullptr, nullptr));
}

std::string geojson(const std::vector<std::string>& features, int epsg) {
    std::string all;
    for (const auto& feature : features) all += (all.empty() ? "" : ",") + feature;
    return text(R"({"type":"FeatureCollection","crs":{"type":"name","properties":{"name":)",
                R"("urn:ogc:def:crs:EPSG::)", epsg, R"("}},"features":[)", all, "]}");
}

/// A feature of land cover with one ring.
std::string area(const std::string& art, const std::vector<Point>& ring) {
    std::string points;
    for (const auto& p : ring) points += text('[', std::fixed, p.x, ',', p.y, "],");
    points += text('[', std::fixed, ring[0].x, ',', ring[0].y, ']');
    return text(R"({"type":"Feature","properties":{"Art":")", art,
                R"("},"geometry":{"type":"Polygon","coordinates":[[)", points, "]]}}");
}

std::vector<Point> square(double x, double y, double side) {
    return {{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}};
}

std::string write(const fs::path& file, const std::string& content) {
    std::ofstream(file) << content;
    return file.string();
}

/// Up and down, then to and fro: n * n crossings.
std::vector<Point> zigzag(int n) {
    std::vector<Point> ring;
    for (int i = 0; i < n; ++i)
        ring.push_back({2600000.0 + (i % 2 == 0 ? 100 : 0), 1200000 + 100.0 * i / n});
    for (int i = 0; i < n; ++i)
        ring.push_back({2600000 + 100.0 * i / n, 1200000.0 + (i % 2 == 0 ? 100 : 0)});
    return ring;
}

}  // namespace

TEST_CASE("half a map is an error in every format") {
    const TemporaryFolder folder("halves");
    const std::vector<std::pair<const char*, const char*>> formats{{"ESRI Shapefile", "a.shp"},
                                                                   {"FlatGeobuf", "b.fgb"},
                                                                   {"GML", "c.gml"},
                                                                   {"GeoJSON", "d.geojson"},
                                                                   {"GPKG", "e.gpkg"}};
    for (const auto& [driver, name] : formats) {
        INFO(driver);
        const auto map = cut_in_half(write_map(folder.path() / name, {town()}, driver));
        CHECK_THAT(refusal_of(keep_all({map.string()})), Catch::StartsWith("cannot read") &&
                                                             Catch::Contains(name) &&
                                                             Catch::Contains("GDAL says '"));
    }
    const auto maps = real_maps();
    if (maps.empty()) return;
    const auto extract = folder.path() / "f.osm.pbf";
    fs::copy_file(maps + "/liechtenstein_osm_latest/liechtenstein-latest.osm.pbf", extract);
    fs::permissions(extract, fs::perms::owner_all);
    CHECK_THAT(refusal_of(keep_all({cut_in_half(extract).string()})),
               Catch::Contains("cannot read all of") && Catch::Contains("breaks off"));
}

TEST_CASE("features that cannot be read are counted, and left out only when asked") {
    const TemporaryFolder folder("unreadable");
    const auto map = write_map(folder.path() / "a.gpkg", {town()});
    spoil_geometries(map);
    auto settings = keep_all({map});
    CHECK_THAT(refusal_of(settings), Catch::Contains("cannot read 200 of 401 features of layer "
                                                     "lcsf") &&
                                         Catch::Contains("Hint") &&
                                         Catch::Contains("--skip-damaged"));
    settings.skip_damaged = true;
    CHECK(tiles_of(settings).header.dropped.at("features that cannot be read") == 200);
}

TEST_CASE("files that are no maps say what they are") {
    const TemporaryFolder folder("no maps");
    const auto refusal = [&](const char* name, const std::string& content) {
        return refusal_of(keep_all({write(folder.path() / name, content)}));
    };
    CHECK_THAT(refusal("a.gpkg", ""), Catch::Contains("it is empty (0 bytes)"));
    CHECK_THAT(refusal("b.gpkg", "Dear Sir,\nno map today"),
               Catch::Contains("it is text that begins with 'Dear Sir,'"));
    CHECK_THAT(refusal("c.itf", "SCNT"),
               Catch::Contains("c.itf: line 1: the file ends before ENDE"));
    CHECK_THAT(refusal("c.xtf", "<?xml version=\"1.0\"?>"), Catch::Contains("c.xtf as a map: "));
    CHECK_THAT(
        refusal("d.geojson", geojson({area("Gebaeude", square(2600000, 1200000, 9))}, 99999)),
        Catch::Contains("names a coordinate system that is not known"));
}

TEST_CASE("a map that may not be read is not called empty") {
    const TemporaryFolder folder("forbidden");
    const auto map = write_map(folder.path() / "t.geojson", {town()}, "GeoJSON");
    fs::permissions(folder.path(), fs::perms{0755});
    fs::permissions(map, fs::perms::none);
    constexpr uid_t nobody = 65534;
    const auto me = geteuid();  // root may read all
    REQUIRE((me != 0 || seteuid(nobody) == 0));
    const auto refusal = refusal_of(keep_all({map}));
    REQUIRE((me != 0 || seteuid(me) == 0));
    CHECK_THAT(refusal, Catch::Contains("t.geojson as a map: Permission denied; ") &&
                            !Catch::Contains("empty"));
}

TEST_CASE("polygons that cross themselves are mended in bounded time, or named") {
    const TemporaryFolder folder("zigzags");
    const auto map = write(folder.path() / "z.geojson",
                           geojson({area("Gebaeude", zigzag(100)), area("Gebaeude", zigzag(2000)),
                                    area("Strasse_Weg", square(2600120, 1200000, 30))},
                                   2056));
    const auto tiles = tiles_of(keep_all({map}));
    CHECK(tiles.header.numbers.at("mended_polygons") == 1);
    CHECK(tiles.header.dropped.at(tangled_geometries) == 1);
    CHECK(pixels_of(tiles, LandClass::building) > 1000);
}

TEST_CASE("a stray vertex costs its feature, not the map") {
    const TemporaryFolder folder("strays");
    const auto stray = [](double x) {
        auto ring = square(2600300, 1200000, 9);
        ring[2].x = x;
        return area("Gebaeude", ring);
    };
    for (const double x : {1e20, 9e9, 0.0}) {
        const auto map =
            write(folder.path() / "s.geojson",
                  geojson({area("Gebaeude", square(2600000, 1200000, 20)), stray(x)}, 2056));
        const auto tiles = tiles_of(keep_all({map}));
        CHECK(pixels_of(tiles, LandClass::building) == 400);
        CHECK(tiles.header.dropped.at(astray_features) == 1);
    }
    OGRLineString line;
    for (const double x : {0.0, std::nan(""), 20.0}) line.addPoint(2600000 + x, 1200000);
    Shapes shapes;
    Tally left_out;
    const auto crs = parse_crs("EPSG:2056");
    CHECK(ShapeMaker(crs, crs, shapes, left_out).add(&line, {.line_width = 5}) == Outcome::astray);
}
