// A real commune, where it is there: its transfer gives what GDAL's own driver, polygons and
// rasters give, and the tiles of the same commune as GeoPackage and Shapefile.
#include "made_itf.hpp"
#include "made_xtf.hpp"
#include "maps/made_map.hpp"
#include "preprocess/interlis/land_cover_map.hpp"
#include "support/temporary.hpp"

#include <gdal_alg.h>
#include <array>
#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;

namespace {

constexpr std::int64_t side = 256;
constexpr const char* sauge = "so_dm01_ch_itf/bb-dm01-real-extract.itf";

Settings reading(const std::string& file) {
    Settings settings;
    settings.inputs = {real_maps() + "/" + file};
    settings.output = "unused.h5";
    settings.keep_edge = true;
    return settings;
}

/// Everywhere that two sets of tiles differ, and how often one of both has a building there.
struct Differences {
    std::int64_t pixels = 0, of_buildings = 0;
};

Differences differences(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    REQUIRE(a.size() == b.size());
    constexpr auto building = static_cast<std::uint8_t>(LandClass::building);
    Differences found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        found.pixels += a[i] != b[i] ? 1 : 0;
        found.of_buildings += (a[i] == building) != (b[i] == building) ? 1 : 0;
    }
    return found;
}

/// The faces between the lines of land cover as GDAL's driver of INTERLIS 1 reads them, bends as
/// chords of a twentieth of a degree.
std::unique_ptr<OGRGeometry> faces_by_gdal(GDALDataset& transfer) {
    OGRMultiLineString lines;
    auto* layer = transfer.GetLayerByName("Bodenbedeckung__BoFlaeche_Geometrie");
    for (const auto& feature : *layer) {
        for (int i = 0; i < feature->GetGeomFieldCount(); ++i) {
            const auto* line = feature->GetGeomFieldRef(i);
            if (line != nullptr) lines.addGeometryDirectly(line->getLinearGeometry(0.05));
        }
    }
    return std::unique_ptr<OGRGeometry>(lines.Polygonize());
}

struct Place {
    OGRPoint point;
    int art = 0;
};

/// Sort the faces by the kind of land cover whose point they have; the number of points found.
int add_faces(OGRLayer& roads, OGRLayer& buildings, GDALDataset& transfer,
              const OGRMultiPolygon& faces) {
    std::vector<Place> places;
    for (const auto& row : *transfer.GetLayerByName("Bodenbedeckung__BoFlaeche"))
        places.push_back({OGRPoint(row->GetFieldAsDouble(2), row->GetFieldAsDouble(3)),
                          row->GetFieldAsInteger(5)});
    int found = 0;
    for (const auto* face : faces) {
        const OGRPreparedGeometryUniquePtr prepared(
            OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRPolygon*>(face))));
        OGREnvelope box, at;
        face->getEnvelope(&box);
        for (auto& place : places) {
            place.point.getEnvelope(&at);
            if (!box.Contains(at) ||
                !OGRPreparedGeometryContains(prepared.get(), OGRGeometry::ToHandle(&place.point)))
                continue;
            ++found;
            if (place.art > 3) continue;
            auto& layer = place.art == 0 ? buildings : roads;
            OGRFeature feature(layer.GetLayerDefn());
            feature.SetGeometry(face);
            REQUIRE(layer.CreateFeature(&feature) == OGRERR_NONE);
        }
    }
    return found;
}

void burn(GDALDataset& raster, OGRLayer& layer, double value) {
    int band = 1;
    auto* handle = OGRLayer::ToHandle(&layer);
    GDALRasterizeLayers(GDALDataset::ToHandle(&raster), 1, &band, 1, &handle, nullptr, nullptr,
                        &value, nullptr, nullptr, nullptr);
}

Dataset in_memory(const char* driver, int pixels) {
    return Dataset(GetGDALDriverManager()->GetDriverByName(driver)->Create(
        "", pixels, pixels, pixels == 0 ? 0 : 1, pixels == 0 ? GDT_Unknown : GDT_Byte, nullptr));
}

}  // namespace

TEST_CASE("a commune as INTERLIS 1, GeoPackage and Shapefile") {
    if (real_maps().empty()) return;
    const auto transfer = tiles_of(reading(sauge));
    const auto package = tiles_of(reading("ch_lcsf_derived/lcsf_449_sauge_be.gpkg"));
    const auto shapefile = tiles_of(reading("ch_lcsf_derived/shp_449_sauge_be"));
    CHECK((package.tiles == shapefile.tiles));
    REQUIRE(transfer.records.size() == 9);
    REQUIRE(package.records.size() == 9);
    for (std::size_t i = 0; i < 9; ++i) {
        CHECK(transfer.records[i].easting == package.records[i].easting);
        CHECK(transfer.records[i].northing == package.records[i].northing);
    }
    CHECK(transfer.header.dropped.at("areas of land cover that is yet to be built") == 7);
    CHECK(transfer.header.dropped.count("areas of land cover around which no boundary closes") ==
          0);
    const auto found = differences(pixels_of(transfer), pixels_of(package));
    CHECK(found.of_buildings == 0);
    // Whoever made the GeoPackage has two chords for bends of hundreds of metres, half a metre
    // beside them.
    CHECK(found.pixels < 100);

    auto as_the_package = reading(sauge);
    as_the_package.arc_step = 5;
    CHECK((tiles_of(as_the_package).tiles == package.tiles));
}

TEST_CASE("a commune as INTERLIS 1 and as DMAV") {
    if (real_maps().empty()) return;
    const TemporaryFolder folder("dmav");
    const auto settings = reading(sauge);
    GDALAllRegister();
    const auto map =
        interlis::read_land_cover({settings.inputs[0], "sauge"}, interlis::Format::interlis1, {});
    const std::array names{"Gebaeude", "befestigt.Strasse_Weg", "befestigt.Trottoir",
                           "befestigt.Verkehrsinsel", "humusiert.Gartenanlage"};
    std::vector<interlis::test::MadeSurface> surfaces;
    for (const auto& area : *map.dataset->GetLayer(0)) {
        const auto art = static_cast<std::size_t>(std::min(area->GetFieldAsInteger("Art"), 4));
        surfaces.push_back({names.at(art), {}});
        for (const auto* ring : *area->GetGeometryRef()->toPolygon()) {
            auto& words = surfaces.back().rings.emplace_back();
            for (const auto& point : *ring)
                words += interlis::test::coord(point.getX() - 2600000, point.getY() - 1200000);
        }
    }
    CHECK(surfaces.size() == 1525);
    auto dmav = settings;
    dmav.inputs = {
        interlis::test::write(folder.path() / "sauge.xtf", interlis::test::to_xtf(surfaces))};
    const auto found = differences(pixels_of(tiles_of(settings)), pixels_of(tiles_of(dmav)));
    CHECK(found.of_buildings == 0);
    CHECK(found.pixels <= 2);  // the transfer has millimetres, chords lie between them
}

TEST_CASE("a commune as INTERLIS 1 is what GDAL's own driver, polygons and rasters give") {
    if (real_maps().empty()) return;
    const auto settings = reading(sauge);
    const auto tiles = tiles_of(settings);
    CPLPushErrorHandler(CPLQuietErrorHandler);  // the driver has no model
    const Dataset transfer(GDALDataset::Open(settings.inputs[0].c_str(), GDAL_OF_VECTOR));
    CPLPopErrorHandler();
    REQUIRE(transfer);
    const auto faces = faces_by_gdal(*transfer);
    const auto map = in_memory("Memory", 0);
    auto& roads = *map->CreateLayer("roads");
    auto& buildings = *map->CreateLayer("buildings");
    // Every area has its face, so that the reader must find all of them, too.
    REQUIRE(add_faces(roads, buildings, *transfer, *faces->toMultiPolygon()) == 1525);

    std::vector<std::uint8_t> theirs;
    for (const auto& record : tiles.records) {
        const auto raster = in_memory("MEM", side);
        std::array<double, 6> place{record.easting, 250.0 / side, 0, record.northing, 0,
                                    -250.0 / side};
        raster->SetGeoTransform(place.data());
        burn(*raster, roads, static_cast<double>(LandClass::road));
        burn(*raster, buildings, static_cast<double>(LandClass::building));
        const auto band = band_of(*raster, side);
        theirs.insert(theirs.end(), band.begin(), band.end());
    }
    const auto found = differences(pixels_of(tiles), theirs);
    CHECK(found.of_buildings == 0);
    CHECK(found.pixels <= 5);  // of 590 000: pixels that a bend's chords graze
}
