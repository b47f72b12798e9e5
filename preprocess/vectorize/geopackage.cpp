#include "gdal_file.hpp"

#include "civitas/base/error.hpp"
#include "style.hpp"

namespace civitas::vectorize {
namespace {

constexpr std::array<std::uint8_t, 3> kClasses{kBuilding, kRoad, kOther};
constexpr auto kTilesLayer = "tiles", kAxesLayer = "road_axes", kBlocksLayer = "blocks";

/// What the table of styles of another program has no column for is left out.
template <class... Value>
void set_known(OGRFeature& feature, const char* field, const Value&... value) {
    const int column = feature.GetFieldIndex(field);
    if (column >= 0) feature.SetField(column, value...);
}

class GeoPackage : public GdalFile {
public:
    GeoPackage(const MapTarget& target, const Provenance& from)
        : GdalFile(target.file, "GPKG", from, target.append ? Through::existing : Through::disk,
                   reference_system(from)),
          prefix_(target.layer_prefix) {
        if (!target.append && !from.licence.empty()) {
            dataset().SetMetadataItem("licence", from.licence.c_str());
        }
        for (const auto land_class : kClasses) {
            add_plan_fields(described(named(appearance(land_class).layer)));
        }
        add_axes_layer();
        add_blocks_layer();
        add_tiles_layer();
        add_styles();
        require(dataset().StartTransaction() == OGRERR_NONE);
    }
    void add(std::uint8_t land_class, const Polygons& polygons, std::int64_t tile) override {
        auto& layer = existing(named(appearance(land_class).layer));
        for (const auto& polygon : polygons) {
            OGRFeature feature(layer.GetLayerDefn());
            set_plan_fields(feature, tile, polygon);
            put(layer, feature, polygon);
        }
    }
    void add_axes(const std::vector<RoadAxis>& axes, std::int64_t tile) override {
        auto& layer = existing(named(kAxesLayer));
        for (const auto& axis : axes) {
            OGRFeature feature(layer.GetLayerDefn());
            set_axis_fields(feature, tile, axis);
            put(layer, feature, line_of(axis));
        }
    }
    void add_blocks(const std::vector<Block>& blocks, std::int64_t tile) override {
        auto& layer = existing(named(kBlocksLayer));
        for (const auto& block : blocks) {
            OGRFeature feature(layer.GetLayerDefn());
            set_plan_fields(feature, tile, block.shape);
            feature.SetField("building_share", block.building_share);
            feature.SetField("buildings", static_cast<GIntBig>(block.buildings));
            feature.SetField("enclosed", block.enclosed ? 1 : 0);
            put(layer, feature, block.shape);
        }
    }
    void add_tile(const TileFigures& tile) override {
        auto& layer = existing(named(kTilesLayer));
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
    [[nodiscard]] std::string named(const char* layer) const { return prefix_ + layer; }
    OGRLayer& existing(const std::string& layer) {
        return *dataset().GetLayerByName(layer.c_str());
    }
    OGRLayer& described(const std::string& name, OGRwkbGeometryType type = wkbPolygon) {
        CPLStringList options;
        options.SetNameValue("DESCRIPTION", sentence_about(provenance()).c_str());
        options.SetNameValue("IDENTIFIER", name.c_str());
        auto& layer = add_layer(name.c_str(), type, options);
        layer.SetMetadataItem("synthetic", provenance().synthetic ? "true" : "false");
        if (!provenance().licence.empty()) {
            layer.SetMetadataItem("licence", provenance().licence.c_str());
        }
        return layer;
    }
    void add_axes_layer() {
        auto& axes = described(named(kAxesLayer), wkbLineString);
        add_field(axes, "tile", OFTInteger64);
        add_axis_fields(axes);
        add_origin_fields(axes);
    }
    void add_blocks_layer() {
        auto& blocks = described(named(kBlocksLayer));
        add_plan_fields(blocks);
        add_field(blocks, "building_share", OFTReal);
        add_field(blocks, "buildings", OFTInteger64);
        add_field(blocks, "enclosed", OFTInteger, OFSTBoolean);
    }
    void add_tiles_layer() {
        auto& tiles = described(named(kTilesLayer));
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
    OGRLayer& styles_layer() {
        constexpr auto kName = "layer_styles";
        if (auto* there = dataset().GetLayerByName(kName)) return *there;
        CPLStringList options;
        options.SetNameValue("FID", "id");
        auto& styles = add_layer(kName, wkbNone, options);
        for (const char* name : {"f_table_catalog", "f_table_schema", "f_table_name",
                                 "f_geometry_column", "styleName", "styleQML", "styleSLD"}) {
            add_field(styles, name, OFTString);
        }
        add_field(styles, "useAsDefault", OFTInteger, OFSTBoolean);
        for (const char* name : {"description", "owner", "ui"}) add_field(styles, name, OFTString);
        add_field(styles, "update_time", OFTDateTime);
        return styles;
    }
    void add_styles() {
        auto& styles = styles_layer();
        for (const auto land_class : kClasses) {
            const auto& a = appearance(land_class);
            add_style(styles, {named(a.layer), a.fill, a.outline});
        }
        add_style(styles, {named(kTilesLayer), "", "#303030", 0.2});
        add_style(styles, {named(kBlocksLayer), "", "#5a8a3c", 0.3});
        add_style(styles, {named(kAxesLayer), "", "#2f5f9f", 0.3, Style::Of::lines});
    }
    void add_style(OGRLayer& styles, const Style& style) {
        OGRFeature feature(styles.GetLayerDefn());
        set_known(feature, "f_table_catalog", "");
        set_known(feature, "f_table_schema", "");
        set_known(feature, "f_table_name", style.layer.c_str());
        set_known(feature, "f_geometry_column", existing(style.layer).GetGeometryColumn());
        set_known(feature, "styleName", style.layer.c_str());
        set_known(feature, "styleQML", qml_of(style).c_str());
        set_known(feature, "styleSLD", sld_of(style).c_str());
        set_known(feature, "useAsDefault", 1);
        set_known(feature, "description", "colours of Civitas");
        set_known(feature, "update_time", 1970, 1, 1);  // any: equal plans give equal files
        require(styles.CreateFeature(&feature) == OGRERR_NONE);
    }

    std::string prefix_;
};

}  // namespace

std::vector<std::string> layers_of_geopackage(const std::string& prefix) {
    std::vector<std::string> layers;
    for (const char* name : {kTilesLayer, kAxesLayer, kBlocksLayer})
        layers.push_back(prefix + name);
    for (const auto land_class : kClasses) layers.push_back(prefix + appearance(land_class).layer);
    return layers;
}

std::unique_ptr<MapFile> make_geopackage(const MapTarget& target, const Provenance& from) {
    return std::make_unique<GeoPackage>(target, from);
}

}  // namespace civitas::vectorize
