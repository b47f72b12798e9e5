#include "preprocess/vectorize/gdal_file.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::vectorize {
namespace {

/// While it lives a GDAL setting has another value.
class Setting {
public:
    Setting(const char* key, const char* value) : key_(key) {
        CPLSetThreadLocalConfigOption(key, value);
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;
    ~Setting() { CPLSetThreadLocalConfigOption(key_, nullptr); }

private:
    const char* key_;
};

/// Closed polylines, not hatches. GDAL's writer keeps no extended data, so tile and origin stand as
/// text and square on layers of their own.
class Dxf : public GdalFile {
public:
    Dxf(const std::filesystem::path& file, const Provenance& from)
        : GdalFile(file, "DXF", from, Through::memory) {
        const Setting outlines("DXF_WRITE_HATCH", "NO");
        layer_ = &add_layer("entities", wkbUnknown);
    }

    void add(const PlacedPlan& tile) override {
        const auto& at = tile.figures;
        for (const auto& p : tile.plan.other) add_shape(cad::kOther, placed(p, at), "#6f9f5f");
        for (const auto& p : tile.plan.roads) add_shape(cad::kRoads, placed(p, at), "#808080");
        for (const auto& p : tile.plan.buildings)
            add_shape(cad::kBuildings, placed(p, at), "#c04030");
        add_shape(cad::kTiles, placed(square(tile.tile_metres), at), "#000000");
        OGRPoint corner(at.west + 2, at.south + 2);
        add_text(text("tile ", at.tile, ": ", sentence_about(provenance())), corner);
    }

private:
    void add_shape(const char* cad_layer, const OGRGeometry& shape, const char* colour) {
        OGRFeature feature(layer_->GetLayerDefn());
        feature.SetField("Layer", cad_layer);
        feature.SetStyleString(text("PEN(c:", colour, ")").c_str());
        put(*layer_, feature, shape);
    }
    void add_text(std::string words, const OGRPoint& at) {
        std::replace(words.begin(), words.end(), '"', '\'');
        OGRFeature feature(layer_->GetLayerDefn());
        feature.SetField("Layer", cad::kRemarks);
        feature.SetStyleString(text("LABEL(f:\"Arial\",t:\"", words, "\",s:2g,c:#000000)").c_str());
        put(*layer_, feature, at);
    }
    OGRLayer* layer_ = nullptr;
};

}  // namespace

std::unique_ptr<MapFile> make_dxf(const std::filesystem::path& file, const Provenance& from) {
    return std::make_unique<Dxf>(file, from);
}

}  // namespace civitas::vectorize
