#include "preprocess/vectorize/gdal_file.hpp"

#include "civitas/base/error.hpp"

namespace civitas::vectorize {
namespace {

/// RFC 7946 wants WGS 84, which GDAL reprojects to when there is a system to start from. Nine
/// decimals are a tenth of a millimetre: polygons stay valid.
class GeoJson : public GdalFile {
public:
    GeoJson(const std::filesystem::path& file, const Provenance& from)
        : GdalFile(file, "GeoJSON", from, Through::memory) {
        CPLStringList options;
        options.SetNameValue("DESCRIPTION", sentence_about(from).c_str());
        const bool placed_on_earth = reference_system(from) != nullptr;
        if (placed_on_earth) {
            options.SetNameValue("RFC7946", "YES");
            options.SetNameValue("COORDINATE_PRECISION", "9");
        }
        layer_ = &add_layer("plans", wkbPolygon, options);
        add_field(*layer_, "class", OFTString);
        add_plan_fields(*layer_);
    }
    void add(const PlacedPlan& tile) override {
        add_all("building", tile.plan.buildings, tile.figures);
        add_all("road", tile.plan.roads, tile.figures);
        add_all("other", tile.plan.other, tile.figures);
    }

private:
    void add_all(const char* land_class, const Polygons& polygons, const TileFigures& at) {
        for (const auto& polygon : polygons) {
            OGRFeature feature(layer_->GetLayerDefn());
            feature.SetField("class", land_class);
            set_plan_fields(feature, at.tile, polygon);
            put(*layer_, feature, placed(polygon, at));
        }
    }
    OGRLayer* layer_ = nullptr;
};

}  // namespace

std::unique_ptr<MapFile> make_geojson(const std::filesystem::path& file, const Provenance& from) {
    return std::make_unique<GeoJson>(file, from);
}

}  // namespace civitas::vectorize
