#include "preprocess/vectorize/gdal_file.hpp"

#include "civitas/base/error.hpp"

namespace civitas::vectorize {
namespace {

class GeoPackage : public GdalFile {
public:
    GeoPackage(const std::filesystem::path& file, const Provenance& from)
        : GdalFile(file, "GPKG", from, Through::disk) {
        const std::string about = sentence_about(from);
        for (const char* name : {"buildings", "roads", "other"}) {
            add_plan_fields(described(name, about));
        }
        auto& tiles = described("tiles", about);
        add_plan_fields(tiles);
        for (const char* name : {"building_share", "road_share", "other_share"}) {
            add_field(tiles, name, OFTReal);
        }
        add_field(tiles, "buildings", OFTInteger64);
        add_field(tiles, "mean_building", OFTReal);
        add_field(tiles, "median_building", OFTReal);
        add_field(tiles, "outlines", OFTString);
        require(dataset().StartTransaction() == OGRERR_NONE);
    }
    void add(const PlacedPlan& tile) override {
        add_all("buildings", tile.plan.buildings, tile.figures);
        add_all("roads", tile.plan.roads, tile.figures);
        add_all("other", tile.plan.other, tile.figures);
        add_tile(tile);
    }
    void close() override {
        require(dataset().CommitTransaction() == OGRERR_NONE);
        GdalFile::close();
    }

private:
    OGRLayer& described(const char* name, const std::string& about) {
        CPLStringList options;
        options.SetNameValue("DESCRIPTION", about.c_str());
        auto& layer = add_layer(name, wkbPolygon, options);
        layer.SetMetadataItem("synthetic", provenance().synthetic ? "true" : "false");
        if (!provenance().licence.empty()) {
            layer.SetMetadataItem("licence", provenance().licence.c_str());
        }
        return layer;
    }
    void add_all(const char* name, const Polygons& polygons, const TileFigures& at) {
        auto& layer = *dataset().GetLayerByName(name);
        for (const auto& polygon : polygons) {
            OGRFeature feature(layer.GetLayerDefn());
            set_plan_fields(feature, at.tile, polygon);
            put(layer, feature, placed(polygon, at));
        }
    }
    void add_tile(const PlacedPlan& tile) {
        auto& layer = *dataset().GetLayerByName("tiles");
        OGRFeature feature(layer.GetLayerDefn());
        const auto& f = tile.figures;
        const OGRPolygon ground = square(tile.tile_metres);
        set_plan_fields(feature, f.tile, ground);
        feature.SetField("building_share", f.building_share);
        feature.SetField("road_share", f.road_share);
        feature.SetField("other_share", f.other_share);
        feature.SetField("buildings", static_cast<GIntBig>(f.buildings));
        feature.SetField("mean_building", f.mean_building);
        feature.SetField("median_building", f.median_building);
        feature.SetField("outlines", name_of(f.detail));
        put(layer, feature, placed(ground, f));
    }
};

}  // namespace

std::unique_ptr<MapFile> make_geopackage(const std::filesystem::path& file,
                                         const Provenance& from) {
    return std::make_unique<GeoPackage>(file, from);
}

}  // namespace civitas::vectorize
