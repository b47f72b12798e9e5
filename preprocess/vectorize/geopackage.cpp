#include "preprocess/vectorize/gdal_file.hpp"

#include "civitas/base/error.hpp"
#include "preprocess/vectorize/style.hpp"

namespace civitas::vectorize {
namespace {

constexpr std::array<std::uint8_t, 3> kClasses{kBuilding, kRoad, kOther};

class GeoPackage : public GdalFile {
public:
    GeoPackage(const std::filesystem::path& file, const Provenance& from)
        : GdalFile(file, "GPKG", from, Through::disk, reference_system(from)) {
        if (!from.licence.empty()) dataset().SetMetadataItem("licence", from.licence.c_str());
        for (const auto land_class : kClasses) {
            add_plan_fields(described(appearance(land_class).layer));
        }
        add_tiles_layer();
        add_styles();
        require(dataset().StartTransaction() == OGRERR_NONE);
    }
    void add(std::uint8_t land_class, const Polygons& polygons, std::int64_t tile) override {
        auto& layer = *dataset().GetLayerByName(appearance(land_class).layer);
        for (const auto& polygon : polygons) {
            OGRFeature feature(layer.GetLayerDefn());
            set_plan_fields(feature, tile, polygon);
            put(layer, feature, polygon);
        }
    }
    void add_tile(const TileFigures& tile) override {
        auto& layer = *dataset().GetLayerByName("tiles");
        OGRFeature feature(layer.GetLayerDefn());
        const OGRPolygon ground = ground_of(tile);
        set_plan_fields(feature, tile.tile, ground);
        feature.SetField("building_share", tile.building_share);
        feature.SetField("road_share", tile.road_share);
        feature.SetField("other_share", tile.other_share);
        feature.SetField("buildings", static_cast<GIntBig>(tile.buildings));
        feature.SetField("mean_building", tile.mean_building);
        feature.SetField("median_building", tile.median_building);
        feature.SetField("outlines", name_of(tile.detail));
        put(layer, feature, ground);
    }
    void close() override {
        require(dataset().CommitTransaction() == OGRERR_NONE);
        GdalFile::close();
    }

private:
    OGRLayer& described(const char* name) {
        CPLStringList options;
        options.SetNameValue("DESCRIPTION", sentence_about(provenance()).c_str());
        auto& layer = add_layer(name, wkbPolygon, options);
        layer.SetMetadataItem("synthetic", provenance().synthetic ? "true" : "false");
        if (!provenance().licence.empty()) {
            layer.SetMetadataItem("licence", provenance().licence.c_str());
        }
        return layer;
    }
    void add_tiles_layer() {
        auto& tiles = described("tiles");
        add_plan_fields(tiles);
        for (const char* name : {"building_share", "road_share", "other_share"}) {
            add_field(tiles, name, OFTReal);
        }
        add_field(tiles, "buildings", OFTInteger64);
        add_field(tiles, "mean_building", OFTReal);
        add_field(tiles, "median_building", OFTReal);
        add_field(tiles, "outlines", OFTString);
    }
    /// The table that QGIS itself keeps the default styles of a GeoPackage in.
    void add_styles() {
        CPLStringList options;
        options.SetNameValue("FID", "id");
        auto& styles = add_layer("layer_styles", wkbNone, options);
        for (const char* name : {"f_table_catalog", "f_table_schema", "f_table_name",
                                 "f_geometry_column", "styleName", "styleQML", "styleSLD"}) {
            add_field(styles, name, OFTString);
        }
        add_field(styles, "useAsDefault", OFTInteger, OFSTBoolean);
        for (const char* name : {"description", "owner", "ui"}) add_field(styles, name, OFTString);
        add_field(styles, "update_time", OFTDateTime);
        for (const auto land_class : kClasses) {
            const auto& a = appearance(land_class);
            add_style(styles, {a.layer, a.fill, a.outline});
        }
        add_style(styles, {"tiles", "", "#303030", 0.2});
    }
    void add_style(OGRLayer& styles, const Style& style) {
        auto& layer = *dataset().GetLayerByName(style.layer.c_str());
        OGRFeature feature(styles.GetLayerDefn());
        feature.SetField("f_table_catalog", "");
        feature.SetField("f_table_schema", "");
        feature.SetField("f_table_name", style.layer.c_str());
        feature.SetField("f_geometry_column", layer.GetGeometryColumn());
        feature.SetField("styleName", style.layer.c_str());
        feature.SetField("styleQML", qml_of(style).c_str());
        feature.SetField("styleSLD", sld_of(style).c_str());
        feature.SetField("useAsDefault", 1);
        feature.SetField("description", "colours of Civitas");
        feature.SetField("update_time", 1970, 1, 1);  // any: equal plans give equal files
        require(styles.CreateFeature(&feature) == OGRERR_NONE);
    }
};

}  // namespace

std::unique_ptr<MapFile> make_geopackage(const std::filesystem::path& file,
                                         const Provenance& from) {
    return std::make_unique<GeoPackage>(file, from);
}

}  // namespace civitas::vectorize
