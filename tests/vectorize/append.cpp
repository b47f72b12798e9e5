// Layers added to a GeoPackage that the user already has.
#include "preprocess/vectorize/existing.hpp"
#include "stores.hpp"

#include <chrono>
#include <fstream>

using namespace civitas;
using namespace civitas::test;
using namespace civitas::vectorize;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

Dataset opened(const std::string& file) {
    GDALAllRegister();
    return Dataset(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
}

void field(OGRLayer& layer, const char* name) {
    OGRFieldDefn column(name, OFTString);
    REQUIRE(layer.CreateField(&column) == OGRERR_NONE);
}

/// A parcel with a name, and a table of styles that has some of the usual columns.
void write_project(const std::string& file) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName("GPKG");
    const Dataset map(driver->Create(file.c_str(), 0, 0, 0, GDT_Unknown, nullptr));
    REQUIRE(map);
    auto* parcels = map->CreateLayer("parcels", nullptr, wkbPolygon, nullptr);
    REQUIRE(parcels != nullptr);
    field(*parcels, "owner");
    OGRFeature feature(parcels->GetLayerDefn());
    feature.SetField("owner", "the town");
    const OGRPolygon shape = square(5);
    feature.SetGeometry(&shape);
    REQUIRE(parcels->CreateFeature(&feature) == OGRERR_NONE);
    auto* styles = map->CreateLayer("layer_styles", nullptr, wkbNone, nullptr);
    REQUIRE(styles != nullptr);
    for (const char* name : {"f_table_name", "styleName", "styleQML"}) field(*styles, name);
    OGRFeature style(styles->GetLayerDefn());
    style.SetField("f_table_name", "parcels");
    REQUIRE(styles->CreateFeature(&style) == OGRERR_NONE);
}

GIntBig features(const Dataset& map, const char* layer) {
    auto* found = map->GetLayerByName(layer);
    return found == nullptr ? -1 : found->GetFeatureCount();
}

}  // namespace

TEST_CASE("Layers are added beside those that a GeoPackage has") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", output = folder / "project.gpkg";
    write_store(ranks, store, header(true));
    const auto private_to_owner = fs::perms::owner_read | fs::perms::owner_write;
    if (ranks.is_root()) {
        write_project(output);
        fs::permissions(output, private_to_owner);
    }
    ranks.barrier();
    const char *in = store.c_str(), *out = output.c_str();
    CHECK_THAT(refusal({in, "--output", out}, true), Contains("--append adds layers to it"));
    REQUIRE_ALL(ranks, call({in, "--output", out, "--append"}) == Exit::done);
    CHECK_THAT(refusal({in, "--output", out, "--append"}, false),
               Contains("already. Hint: choose other names, as by --layer-prefix plans_"));
    REQUIRE_ALL(ranks,
                call({in, "--output", out, "--append", "--layer-prefix", "again_"}) == Exit::done);
    if (!ranks.is_root()) return;
    CHECK(fs::status(output).permissions() == private_to_owner);
    const auto map = opened(output);
    REQUIRE(map);
    for (const auto& feature : *map->GetLayerByName("parcels"))
        CHECK(std::string(feature->GetFieldAsString("owner")) == "the town");
    CHECK(features(map, "parcels") == 1);
    CHECK(features(map, "buildings") >= 45);
    CHECK(features(map, "tiles") == 3);
    for (const char* layer : {"buildings", "roads", "other", "tiles"})
        CHECK(features(map, layer) == features(map, ("again_" + std::string(layer)).c_str()));
    std::set<std::string> styled;
    for (const auto& style : *map->GetLayerByName("layer_styles"))
        styled.insert(style->GetFieldAsString("f_table_name"));
    CHECK(styled == std::set<std::string>{"parcels", "buildings", "roads", "other", "tiles",
                                          "road_axes", "blocks", "again_road_axes", "again_blocks",
                                          "again_buildings", "again_roads", "again_other",
                                          "again_tiles"});
    CHECK(folder.names() == std::set<std::string>{"plans.h5", "project.gpkg"});
}

TEST_CASE("A map that is not there yet is made, whatever the case of its ending") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", output = folder / "new.GPKG";
    write_store(ranks, store, header(true));
    REQUIRE_ALL(ranks, call({store.c_str(), "--output", output.c_str(), "--append"}) == Exit::done);
    if (ranks.is_root()) CHECK(features(opened(output), "tiles") == 3);
}

TEST_CASE("What layers cannot be added to stays as it is") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", output = folder / "project.gpkg";
    const auto words = folder / "words.gpkg", dxf = folder / "plans.dxf";
    write_store(ranks, store, header(true));
    if (ranks.is_root()) {
        write_project(output);
        std::ofstream(words) << "not a map";
        std::ofstream(output + "-wal") << "what QGIS has not put into the file yet";
    }
    ranks.barrier();
    const char *in = store.c_str(), *out = output.c_str();
    CHECK_THAT(refusal({in, "--output", out, "--append"}, false),
               Contains("project.gpkg-wal") && Contains("Hint: close it there"));
    CHECK_THAT(refusal({in, "--output", out, "--overwrite"}, false),
               Contains("project.gpkg-wal") && Contains("Hint: close it there"));
    CHECK_THAT(refusal({in, "--output", words.c_str(), "--append"}, false),
               Contains("which is no GeoPackage that opens") && Contains("Hint: name another"));
    CHECK_THAT(refusal({in, "--output", out, "--append", "--overwrite"}, true),
               Contains("--append keeps what --overwrite replaces"));
    CHECK_THAT(refusal({in, "--output", dxf.c_str(), "--append"}, true),
               Contains("--append is for the layers of a GeoPackage"));
    CHECK_THAT(refusal({in, "--output", dxf.c_str(), "--layer-prefix", "a_"}, true),
               Contains("--layer-prefix is for the layers of a GeoPackage"));
    for (const char* prefix : {"a\"b", "gpkg_"})
        CHECK_THAT(refusal({in, "--output", out, "--append", "--layer-prefix", prefix}, true),
                   Contains("cannot begin the name of a layer"));
    if (!ranks.is_root()) return;
    fs::remove(output + "-wal");
    CHECK(features(opened(output), "parcels") == 1);
    CHECK(features(opened(output), "buildings") == -1);
}

TEST_CASE("Work that another program saved meanwhile is not lost") {
    const auto ranks = comm::Communicator::world();
    if (!ranks.is_root()) return;
    const test::TemporaryFolder folder("vectorize-append");
    const auto output = folder.path() / "project.gpkg";
    write_project(output.string());
    const ExistingMap map(output, {"buildings"});
    map.require_unchanged();
    fs::last_write_time(output, fs::last_write_time(output) + std::chrono::seconds(1));
    CHECK_THROWS_WITH(map.require_unchanged(), Contains("was changed by another program"));
}
