// The program as a whole, called as its main does, on stores written here.
#include "preprocess/vectorize/map_file.hpp"
#include "preprocess/vectorize/mosaic.hpp"
#include "stores.hpp"

#include <fstream>
#include <map>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::vectorize;
using Catch::Matchers::Contains;

namespace {

Dataset opened(const std::string& file) {
    GDALAllRegister();
    return Dataset(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
}

void check_attributes(const OGRFeature& feature, double scale) {
    const auto* shape = feature.GetGeometryRef()->toPolygon();
    CHECK(shape->IsValid());
    CHECK(feature.GetFieldAsInteger("synthetic") == 1);
    CHECK(feature.GetFieldAsInteger64("seed") == 7);
    CHECK(std::string(feature.GetFieldAsString("checkpoint_fingerprint")) == kFingerprint);
    if (scale == 0) return;
    CHECK(feature.GetFieldAsDouble("area") == Approx(shape->get_Area()).epsilon(1e-6));
    CHECK(feature.GetFieldAsDouble("perimeter") == Approx(perimeter(*shape)).epsilon(1e-6));
}

void check_geopackage(const std::string& file) {
    const auto map = opened(file);
    REQUIRE(map);
    double area = 0;
    std::map<int, int> buildings_of_tile;
    for (const char* name : {"buildings", "roads", "other"}) {
        auto* layer = map->GetLayerByName(name);
        REQUIRE(layer != nullptr);
        CHECK(layer->GetSpatialRef()->IsProjected());
        CHECK(std::string(layer->GetSpatialRef()->GetAuthorityCode(nullptr)) == "2056");
        CHECK(std::string(layer->GetMetadataItem("synthetic")) == "true");
        for (const auto& feature : *layer) {
            check_attributes(*feature, 1);
            area += feature->GetFieldAsDouble("area");
            const int tile = feature->GetFieldAsInteger("tile");
            if (std::string(name) == "buildings") ++buildings_of_tile[tile];
            OGREnvelope extent;
            feature->GetGeometryRef()->getEnvelope(&extent);
            CHECK(extent.MinX >= 2600000 + tile * kMetres - 1e-6);
            CHECK(extent.MaxX <= 2600000 + (tile + 1) * kMetres + 1e-6);
            CHECK(extent.MaxY <= 1200000 + 1e-6);
            CHECK(extent.MinY >= 1200000 - kMetres - 1e-6);
        }
    }
    CHECK(area == Approx(3 * kMetres * kMetres).epsilon(1e-9));
    auto* tiles = map->GetLayerByName("tiles");
    REQUIRE(tiles != nullptr);
    CHECK(tiles->GetFeatureCount() == 3);
    for (const auto& feature : *tiles) {
        const int tile = feature->GetFieldAsInteger("tile");
        CHECK(feature->GetFieldAsInteger("buildings") == buildings_of_tile[tile]);
        CHECK(feature->GetFieldAsDouble("building_share") > 0.05);
        CHECK(feature->GetGeometryRef()->toPolygon()->get_Area() == Approx(kMetres * kMetres));
    }
}

void check_dxf(const std::string& file) {
    const auto map = opened(file);
    REQUIRE(map);
    std::map<std::string, int> count;
    std::string remarks;
    for (const auto& feature : *map->GetLayerByName("entities")) {
        const std::string layer = feature->GetFieldAsString("Layer");
        ++count[layer];
        const std::string kind = feature->GetFieldAsString("SubClasses");
        if (layer == appearance(kBuilding).cad_layer) CHECK_THAT(kind, Contains("AcDbPolyline"));
        if (layer == cad::kRemarks) remarks += feature->GetFieldAsString("Text");
    }
    CHECK(count["01211"] >= 45);
    CHECK(count["01221"] >= 3);
    CHECK(count["01231"] >= 3);
    CHECK(count[cad::kTiles] == 3);
    CHECK_THAT(remarks, Contains("tile 0: synthetic plan") && Contains("seed 7"));
    CHECK_THAT(remarks, Contains(kFingerprint));
}

void check_geojson(const std::string& file) {
    const auto map = opened(file);
    REQUIRE(map);
    std::map<std::string, int> count;
    for (const auto& feature : *map->GetLayer(0)) {
        check_attributes(*feature, 0);
        ++count[feature->GetFieldAsString("class")];
        OGREnvelope extent;
        feature->GetGeometryRef()->getEnvelope(&extent);
        CHECK(extent.MinX > 7);  // Bern, in degrees
        CHECK(extent.MaxX < 8);
        CHECK(extent.MinY > 46);
        CHECK(extent.MaxY < 48);
    }
    CHECK(count["building"] >= 45);
    CHECK(count["road"] >= 3);
    CHECK(count["other"] >= 3);
}

void check_csv(const std::string& file) {
    std::ifstream csv(file);
    std::string line;
    int lines = 0;
    while (std::getline(csv, line)) {
        CHECK(std::count(line.begin(), line.end(), ',') == 10);
        ++lines;
    }
    CHECK(lines == 4);
}

}  // namespace

TEST_CASE("A store becomes a GeoPackage, a DXF and a GeoJSON") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5";
    write_store(ranks, store, header(true));
    for (const char* name : {"plans.gpkg", "plans.dxf", "plans.geojson"}) {
        const auto output = folder / name;
        REQUIRE_ALL(ranks,
                    call({store.c_str(), "--output", output.c_str(), "--overwrite"}) == Exit::done);
    }
    ranks.barrier();
    if (!ranks.is_root()) return;
    check_geopackage(folder / "plans.gpkg");
    check_dxf(folder / "plans.dxf");
    check_geojson(folder / "plans.geojson");
    check_csv(folder / "plans.csv");
    CHECK(folder.names() == std::set<std::string>{"plans.csv", "plans.dxf", "plans.geojson",
                                                  "plans.gpkg", "plans.h5"});
}

TEST_CASE("What was traced from a real map does not claim to be synthetic") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "tiles.h5", output = folder / "tiles.gpkg";
    write_store(ranks, store, header(false));
    REQUIRE_ALL(ranks,
                call({store.c_str(), "--output", output.c_str(), "--tiles", "1"}) == Exit::done);
    if (!ranks.is_root()) return;
    const auto map = opened(output);
    for (const auto& feature : *map->GetLayerByName("buildings")) {
        CHECK(feature->GetFieldAsInteger("synthetic") == 0);
        CHECK(feature->GetFieldAsInteger("tile") == 1);
        CHECK_FALSE(feature->IsFieldSetAndNotNull(feature->GetFieldIndex("seed")));
    }
}

TEST_CASE("A store without a coordinate system gives a map in metres") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    auto h = header(true);
    h.crs_epsg = 0;
    const auto store = folder / "plans.h5";
    write_store(ranks, store, h);
    for (const char* name : {"plans.gpkg", "plans.geojson"}) {
        const auto output = folder / name;
        REQUIRE_ALL(ranks, call({store.c_str(), "--output", output.c_str()}) == Exit::done);
        OGREnvelope extent;
        const auto map = opened(output);
        REQUIRE_ALL(ranks, map && map->GetLayer(0)->GetExtent(&extent) == OGRERR_NONE);
        CHECK(extent.MinX > 2500000);
    }
}

TEST_CASE("What cannot be done is refused and leaves nothing behind") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.gpkg";
    write_store(ranks, store, header(true));
    const char *in = store.c_str(), *out = map.c_str();
    const auto gone = folder / "gone.h5", text_file = folder / "text.h5";
    const auto nowhere = folder / "no/plans.gpkg", shape = folder / "plans.shp";
    if (ranks.is_root()) std::ofstream(text_file) << "not a store";
    ranks.barrier();
    CHECK_THAT(refusal({in}, true), Contains("output"));
    CHECK_THAT(refusal({"--output", out}, true), Contains("one tile store is needed"));
    CHECK_THAT(refusal({in, in, "--output", out}, true), Contains("2 are named"));
    CHECK_THAT(refusal({in, "--output", shape.c_str()}, true),
               Contains("ends in none of .gpkg, .dxf, .geojson, .city.json"));
    CHECK_THAT(refusal({in, "--output", ".gpkg"}, true),
               Contains("--output .gpkg is an ending without a name. Hint: --output plan.gpkg"));
    CHECK_THAT(refusal({in, "--output", out, "--tolerence", "1"}, true), Contains("tolerance"));
    CHECK_THAT(refusal({in, "--output", out, "--tolerance", "0"}, true),
               Contains("not above 0 and at most 8"));
    CHECK_THAT(refusal({in, "--output", out, "--minimum-area", "-1"}, true),
               Contains("is not within 0 to 1e+06"));
    for (const char* area : {"inf", "nan", "1e300"}) {
        CHECK_THAT(refusal({in, "--output", out, "--minimum-area", area}, true),
                   Contains("minimum-area"));
    }
    const auto city = folder / "plans.city.json";
    CHECK_THAT(refusal({in, "--output", city.c_str(), "--floors", "0"}, true),
               Contains("--floors 0 is not within 1 to 200 storeys") && Contains("Hint: "));
    CHECK_THAT(refusal({in, "--output", out, "--floors", "5"}, true),
               Contains("--floors is for the heights of a CityJSON") && Contains("Hint: "));
    CHECK_THAT(refusal({in, "--output", out, "--tiles", "0-9223372036854775807"}, true),
               Contains("there is no tile 9223372036854775807"));
    CHECK_THAT(refusal({in, "--output", out, "--tiles", "0-99999999999999999999"}, true),
               Contains("no tile number"));
    CHECK_THAT(refusal({in, "--output", out, "--tiles", "0-3"}, true),
               Contains("the store has 3 tiles, there is no tile 3"));
    CHECK_THAT(refusal({in, "--output", out, "--tiles", "one"}, true), Contains("no tile number"));
    CHECK_THAT(refusal({gone.c_str(), "--output", out}, true), Contains("gone.h5"));
    CHECK_THAT(refusal({text_file.c_str(), "--output", out}, false), Contains("text.h5"));
    CHECK_THAT(refusal({in, "--output", nowhere.c_str()}, true), Contains("there is no folder"));
    ranks.barrier();
    CHECK(folder.names() == std::set<std::string>{"plans.h5", "text.h5"});
}

TEST_CASE("The least area may be more than any number of pixels") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto file = folder / "plans.h5";
    auto fine = header(true);
    fine.tile_metres = 1.28;
    write_store(ranks, file, fine);
    const auto store = data::TileStore::open(ranks, file);
    Mosaic mosaic(store, Neighbours(), 1e6);
    const auto classes = mosaic.clean(0).tile().classes;
    CHECK(std::set(classes.begin(), classes.end()).size() == 1);
    ranks.barrier();
}

TEST_CASE("What is smaller than the last decimal of a GeoJSON is left out of it") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.geojson";
    auto fine = header(true);
    fine.tile_metres = 0.01 * kSide;  // a pixel is 1.3 by 0.9 cells there
    std::vector<data::TileRecord> records(ranks.is_root() ? 1 : 0, {2600000, 1200000});
    std::vector<std::uint8_t> pixels(records.size() * kSide * kSide, kOther);
    for (std::size_t p = 5; p < pixels.size(); p += 9 * kSide + 9) pixels[p] = kBuilding;
    data::write_tile_store(ranks, store, fine, records, pixels);
    REQUIRE_ALL(
        ranks, call({store.c_str(), "--output", map.c_str(), "--minimum-area", "0"}) == Exit::done);
    if (!ranks.is_root()) return;
    int buildings = 0;
    const auto plans = opened(map);
    for (const auto& feature : *plans->GetLayer(0)) {
        CHECK(feature->GetGeometryRef()->IsValid());
        if (std::string(feature->GetFieldAsString("class")) == "building") ++buildings;
    }
    CHECK((buildings > 10 && buildings < 15));
}
