// What each format says beside its polygons: place, licence, seed, units, colours.
#include "preprocess/vectorize/map_file.hpp"
#include "preprocess/vectorize/store.hpp"
#include "stores.hpp"

#include <cpl_minixml.h>
#include <fstream>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::vectorize;
using Catch::Matchers::Contains;

namespace {

constexpr auto kLicence = "Contains data of \"N\u00e4herei\",\nOpen Database License 1.0\x1b[31m";
constexpr auto kLicenceLine = "Contains data of \"N\u00e4herei\", Open Database License 1.0 [31m";
constexpr auto kSeed = "18446744073709551615";

Dataset opened(const std::string& file) {
    GDALAllRegister();
    Dataset map(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    REQUIRE(map);
    return map;
}

/// A generated store whose first plan's corner is `anchor`.
void write_plans(const std::string& file, Point anchor, data::StoreHeader h) {
    std::vector<data::TileRecord> records(2);
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 2; ++i) {
        records[static_cast<std::size_t>(i)].easting = anchor.x + 300 * i;
        records[static_cast<std::size_t>(i)].northing = anchor.y;
        const auto raster = town(7.0 * i);
        pixels.insert(pixels.end(), raster.classes.begin(), raster.classes.end());
    }
    data::write_tile_store(comm::Communicator::world(), file, h, records, pixels);
}

data::StoreHeader generated() {
    auto h = header(true);
    h.licence = kLicence;
    h.numbers.erase("seed");
    h.texts["seed"] = kSeed;
    return h;
}

/// A map of such a store.
std::string map_of(const Folder& folder, const char* name, Point anchor,
                   const data::StoreHeader& h = generated()) {
    const auto store = folder / "plans.h5", map = folder / name;
    write_plans(store, anchor, h);
    REQUIRE(call({store.c_str(), "--output", map.c_str(), "--overwrite"}) == Exit::done);
    std::filesystem::remove(store);
    return map;
}

OGREnvelope extent_of(const std::string& file) {
    OGREnvelope extent;
    REQUIRE(opened(file)->GetLayer(0)->GetExtent(&extent) == OGRERR_NONE);
    return extent;
}

}  // namespace

TEST_CASE("Plans without an anchor lie on no ground of any coordinate system") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    for (const std::int64_t epsg : {28992, 31370, 2056}) {  // 0,0 of the first two is in France
        auto h = generated();
        h.crs_epsg = epsg;
        const auto gpkg = map_of(folder, "nowhere.gpkg", {0, 0}, h);
        const auto map = opened(gpkg);
        const auto* crs = map->GetLayerByName("buildings")->GetSpatialRef();
        REQUIRE(crs != nullptr);
        CHECK(crs->IsLocal());
        CHECK_FALSE(crs->IsProjected());
        CHECK(crs->GetLinearUnits() == 1);
        auto* ids =
            map->ExecuteSQL("SELECT DISTINCT srs_id FROM gpkg_geometry_columns", nullptr, nullptr);
        CHECK(ids->GetFeatureCount() == 1);
        CHECK((*ids->begin())->GetFieldAsInteger(0) == -1);  // undefined Cartesian
        map->ReleaseResultSet(ids);
        const auto sea = extent_of(map_of(folder, "nowhere.geojson", {0, 0}, h));
        CHECK(std::max(std::abs(sea.MinX), std::abs(sea.MaxX)) < 0.01);
        CHECK(std::max(std::abs(sea.MinY), std::abs(sea.MaxY)) < 0.01);
        CHECK((sea.MaxX - sea.MinX) * 111319.49 == Approx(550).epsilon(1e-3));
    }
}

TEST_CASE("Plans with an anchor lie there") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    auto h = generated();
    const auto check = [&](Point anchor) {
        const auto map = opened(map_of(folder, "there.gpkg", anchor, h));
        const auto* crs = map->GetLayerByName("buildings")->GetSpatialRef();
        CHECK(std::string(crs->GetAuthorityCode(nullptr)) == "2056");
    };
    check({2600000, 1200000});
    h.texts["anchor"] = "0,0";  // asked for
    check({0, 0});
    const auto bern = extent_of(map_of(folder, "there.geojson", {2600000, 1200000}));
    CHECK(bern.MinX == Approx(7.4386).margin(0.01));
}

TEST_CASE("The licence and the whole seed stand in every format") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const Point bern{2600000, 1200000};
    const auto gpkg = opened(map_of(folder, "plans.gpkg", bern));
    CHECK(std::string(gpkg->GetMetadataItem("licence")) == kLicenceLine);
    for (const char* name : {"buildings", "roads", "other", "tiles", "road_axes", "blocks"}) {
        auto* layer = gpkg->GetLayerByName(name);
        CHECK(std::string(layer->GetMetadataItem("licence")) == kLicenceLine);
        CHECK(std::string((*layer->begin())->GetFieldAsString("seed")) == kSeed);
    }
    const auto geojson = map_of(folder, "plans.geojson", bern);
    CPLJSONDocument json;
    REQUIRE(json.Load(geojson));
    CHECK(json.GetRoot().GetString("licence") == kLicenceLine);
    const auto degrees = opened(geojson);
    CHECK(std::string((*degrees->GetLayer(0)->begin())->GetFieldAsString("seed")) == kSeed);
    CHECK_THAT(
        test::content(folder / "plans.csv"),
        Contains("\"Contains data of \"\"N\u00e4herei\"\", Open Database License 1.0 [31m\"\n"));
    const auto dxf = map_of(folder, "plans.dxf", bern);
    CHECK_THAT(test::content(dxf), Contains(std::string("999\nlicence: ") + kLicenceLine + '\n'));
    std::string remarks;
    const auto drawing = opened(dxf);
    for (const auto& feature : *drawing->GetLayerByName("entities")) {
        remarks += feature->GetFieldAsString("Text");
    }
    CHECK_THAT(remarks, Contains("Open Database License 1.0") && Contains(kSeed));
}

TEST_CASE("Seeds of older stores are read as numbers, others are left out") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    for (const auto& [number, words] : {std::pair{7.0, "7"}, {-1.0, ""}, {1e300, ""}}) {
        auto h = header(true);
        h.numbers["seed"] = number;
        const auto map = opened(map_of(folder, "plans.gpkg", {0, 0}, h));
        auto* layer = map->GetLayerByName("roads");
        CHECK(std::string((*layer->begin())->GetFieldAsString("seed")) == words);
    }
}

TEST_CASE("A DXF is in metres, and objects have the colour of their layer") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto file = test::content(map_of(folder, "plans.dxf", {2600000, 1200000}));
    CHECK_THAT(file,
               Contains("$INSUNITS\n 70\n     6\n") && Contains("$MEASUREMENT\n 70\n     1\n"));
    for (const auto land_class : {kBuilding, kRoad, kOther}) {
        const auto& a = appearance(land_class);
        CHECK_THAT(file, Contains(text("AcDbLayerTableRecord\n  2\n", a.cad_layer,
                                       "\n 70\n     0\n 62\n", a.cad_colour, '\n')));
    }
    const auto entities = file.substr(file.find("ENTITIES\n"));
    CHECK_THAT(entities, Contains("LWPOLYLINE") && !Contains("\n 62\n"));
    // Every layer once, every handle once.
    std::set<std::string> handles;
    std::istringstream lines(file);
    for (std::string group, value; std::getline(lines, group) && std::getline(lines, value);) {
        if (group == "  5") CHECK(handles.insert(value).second);
    }
}

TEST_CASE("A GeoPackage brings styles that QGIS and others read") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto map = opened(map_of(folder, "plans.gpkg", {0, 0}));
    auto* styles = map->GetLayerByName("layer_styles");
    REQUIRE(styles != nullptr);
    std::set<std::string> styled, colours;
    for (const auto& feature : *styles) {
        const std::string name = feature->GetFieldAsString("f_table_name");
        styled.insert(name);
        auto* layer = map->GetLayerByName(name.c_str());
        REQUIRE(layer != nullptr);
        CHECK(std::string(feature->GetFieldAsString("f_geometry_column")) ==
              layer->GetGeometryColumn());
        CHECK(feature->GetFieldAsInteger("useAsDefault") == 1);
        for (const char* field : {"styleQML", "styleSLD"}) {
            CPLErrorReset();
            CPLXMLNode* tree = CPLParseXMLString(feature->GetFieldAsString(field));
            REQUIRE(tree != nullptr);
            CHECK(CPLGetLastErrorType() == CE_None);
            CPLDestroyXMLNode(tree);
        }
        const bool line = name == "road_axes";
        CHECK_THAT(feature->GetFieldAsString("styleQML"),
                   Contains(line ? "class=\"SimpleLine\"" : "class=\"SimpleFill\""));
        CHECK_THAT(feature->GetFieldAsString("styleSLD"),
                   Contains(line ? "<se:LineSymbolizer>" : "<se:PolygonSymbolizer>"));
        colours.insert(feature->GetFieldAsString("styleSLD"));
    }
    CHECK(styled ==
          std::set<std::string>{"buildings", "roads", "other", "tiles", "road_axes", "blocks"});
    CHECK(colours.size() == 6);
}

TEST_CASE("Centre lines have their width and length in every format") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const Point bern{2600000, 1200000};
    const auto gpkg = opened(map_of(folder, "plans.gpkg", bern));
    auto* axes = gpkg->GetLayerByName("road_axes");
    REQUIRE(axes != nullptr);
    const auto lines = axes->GetFeatureCount();
    CHECK(lines >= 8);  // a crossing in each of two plans
    for (const auto& feature : *axes) {
        CHECK(feature->GetFieldAsDouble("width") > 5);
        CHECK(feature->GetFieldAsDouble("length") ==
              Approx(feature->GetGeometryRef()->toLineString()->get_Length()));
    }
    auto* blocks = gpkg->GetLayerByName("blocks");
    REQUIRE(blocks != nullptr);
    CHECK((*blocks->begin())->GetFieldAsInteger("buildings") > 0);
    const auto degrees = opened(map_of(folder, "plans.geojson", bern));
    degrees->GetLayer(0)->SetAttributeFilter("class = 'road_axis' AND width > 5 AND length > 5");
    CHECK(degrees->GetLayer(0)->GetFeatureCount() > 0);
    const auto drawing = opened(map_of(folder, "plans.dxf", bern));
    drawing->GetLayerByName("entities")->SetAttributeFilter("Layer = 'CIVITAS_ROAD_AXES'");
    CHECK(drawing->GetLayerByName("entities")->GetFeatureCount() == lines);
}

TEST_CASE("Places and sizes that no map can have are refused") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.gpkg";
    const auto refused = [&](Point anchor, double metres) {
        auto h = header(true);
        h.tile_metres = metres;
        try {
            write_plans(store, anchor, h);
        } catch (const Error& error) {
            return std::string("not stored");
        }
        return refusal({store.c_str(), "--output", map.c_str()}, false);
    };
    const auto either = [](const std::string& said, const char* words) {
        return said.find(words) != std::string::npos || said == "not stored";
    };
    CHECK_THAT(refused({0, 0}, 1), Contains("7.8125 mm") && Contains("Hint: "));
    CHECK(either(refused({0, 0}, 1e300), "1e+300"));
    CHECK(either(refused({1e300, 0}, 250), "1e+300"));
    CHECK(either(refused({std::nan(""), 0}, 250), "nan"));
    CHECK_FALSE(std::filesystem::exists(map));
}

TEST_CASE("Coordinate systems that nobody knows are named") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.gpkg";
    auto h = generated();
    const auto said = [&] {
        write_plans(store, {2600000, 1200000}, h);
        return refusal({store.c_str(), "--output", map.c_str()}, false);
    };
    h.crs_epsg = 999999;
    CHECK_THAT(said(), Contains("EPSG:999999 is not known") && Contains("Hint: "));
    h.crs_epsg = 1LL << 40;
    CHECK_THROWS_WITH(write_plans(store, {2600000, 1200000}, h), Contains("EPSG:1099511627776"));
    h.crs_epsg = 999999;
    h.crs_wkt = "PROJCS[";
    CHECK_THAT(said(), Contains("coordinate system cannot be read"));
    CHECK(folder.names() == std::set<std::string>{"plans.h5"});
}

TEST_CASE("Text of a store becomes one clean line") {
    CHECK(one_line("a\nb\t\rc\x7f\n") == "a b c");
    CHECK(one_line("\xff"
                   "b") == "?b");
}
