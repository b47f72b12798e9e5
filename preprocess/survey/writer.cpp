#include "writer.hpp"

#include "civitas/base/error.hpp"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>

namespace civitas::survey {
namespace {

constexpr int commune = 9990;  // not a number of the official list of communes
constexpr const char* canton = "ZZ";

void check(OGRErr result, const char* call) {
    if (result != OGRERR_NONE) throw LibraryError(call, CPLGetLastErrorMsg());
}

GDALDatasetUniquePtr create(const std::filesystem::path& file) {
    GDALAllRegister();
    GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GPKG");
    if (driver == nullptr)
        throw Error("this GDAL has no GPKG driver", {"install a GDAL built with SQLite"});
    GDALDatasetUniquePtr out(driver->Create(file.c_str(), 0, 0, 0, GDT_Unknown, nullptr));
    if (!out) throw LibraryError("GDALDriver::Create", CPLGetLastErrorMsg());
    return out;
}

std::string description(const TownChoice& choice) {
    const std::string style =
        choice.style == Style::mixed ? "" : text(", style ", to_string(choice.style));
    return text("Synthetic land cover of a fictitious commune, seed ", index(choice.seed), style,
                ". No real place.");
}

OGRLayer& add_layer(GDALDataset& file, const TownChoice& choice) {
    OGRSpatialReference lv95;
    check(lv95.importFromEPSG(2056), "OGRSpatialReference::importFromEPSG");
    lv95.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    CPLStringList options;
    options.SetNameValue("DESCRIPTION", description(choice).c_str());
    OGRLayer* layer = file.CreateLayer("lcsf", &lv95, wkbPolygon, options.List());
    if (layer == nullptr) throw LibraryError("GDALDataset::CreateLayer", CPLGetLastErrorMsg());
    const std::pair<const char*, OGRFieldType> fields[] = {{"BFSNr", OFTInteger},
                                                           {"Qualitaet", OFTString},
                                                           {"Art", OFTString},
                                                           {"GWR_EGID", OFTString},
                                                           {"Kanton", OFTString}};
    for (const auto& [name, type] : fields) {
        OGRFieldDefn field(name, type);
        check(layer->CreateField(&field), "OGRLayer::CreateField");
    }
    return *layer;
}

OGRPolygon placed(const OGRPolygon& land, const Point& place) {
    OGRPolygon out = land;
    for (OGRLinearRing* ring : out)
        for (int i = 0; i < ring->getNumPoints(); ++i)
            ring->setPoint(i, ring->getX(i) + place.x, ring->getY(i) + place.y);
    return out;
}

void add_feature(OGRLayer& layer, const Feature& feature, const Point& place) {
    OGRFeature row(layer.GetLayerDefn());
    row.SetField("BFSNr", commune);
    row.SetField("Qualitaet", "AV93");
    row.SetField("Art", name_of(feature.art));
    row.SetField("Kanton", canton);
    const OGRPolygon land = placed(feature.land, place);
    check(row.SetGeometry(&land), "OGRFeature::SetGeometry");
    check(layer.CreateFeature(&row), "OGRLayer::CreateFeature");
}

void write(const std::filesystem::path& gpkg, const Town& town, const TownChoice& choice) {
    const GDALDatasetUniquePtr out = create(gpkg);
    OGRLayer& layer = add_layer(*out, choice);
    check(out->StartTransaction(), "GDALDataset::StartTransaction");
    for (const Feature& feature : town.features) add_feature(layer, feature, place_of(choice));
    check(out->CommitTransaction(), "GDALDataset::CommitTransaction");
    check(layer.SyncToDisk(), "OGRLayer::SyncToDisk");
}

}  // namespace

void write_town(const std::filesystem::path& gpkg, const Town& town, const TownChoice& choice) {
    const CPLErrorHandlerPusher quiet(CPLQuietErrorHandler);
    // The driver writes the time of day into the file unless it is told another.
    const CPLConfigOptionSetter date("OGR_CURRENT_DATE", "2000-01-01T00:00:00.000Z", false);
    try {
        write(gpkg, town, choice);
    } catch (const LibraryError& error) {
        throw Error(text("cannot write ", gpkg.string(), ": ", error.what()),
                    Hint{"is there room on the disk?"});
    }
}

}  // namespace civitas::survey
