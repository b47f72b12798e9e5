#include "gdal_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include <cpl_vsi.h>
#include <algorithm>
#include <limits>

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

void replace_once(std::string& in, const std::string& from, const std::string& to) {
    const auto at = in.find(from);
    if (at == std::string::npos) {
        throw Error(text("GDAL's header.dxf is another than expected: it lacks \"", from, '"'),
                    Hint{"GDAL_DATA should name the folder of this GDAL's own files"});
    }
    in.replace(at, from.size(), to);
}

/// The entry of a layer in the table of layers, as GDAL's own header has that of layer 0.
std::string layer_entry(const char* name, int colour, int handle) {
    return text("  0\nLAYER\n  5\n", std::hex, handle, std::dec,
                "\n330\n2\n100\nAcDbSymbolTableRecord\n100\nAcDbLayerTableRecord\n  2\n", name,
                "\n 70\n     0\n 62\n", colour, "\n  6\nContinuous\n370\n    -3\n390\nF\n");
}

/// GDAL's header, which says inches and has but one layer, in metres and with ours.
std::string header() {
    const char* file = CPLFindFile("gdal", "header.dxf");
    if (file == nullptr) {
        throw Error("this GDAL lacks its header.dxf",
                    Hint{"GDAL_DATA should name the folder with it, as /usr/share/gdal"});
    }
    std::string words = io::read_text_file(file, std::numeric_limits<std::uint64_t>::max());
    replace_once(words, "$INSUNITS\n 70\n     1\n", "$INSUNITS\n 70\n     6\n");
    replace_once(words, "$MEASUREMENT\n 70\n     0\n", "$MEASUREMENT\n 70\n     1\n");
    int handle = 0xf100;  // GDAL's own end far below, and those of entities start far above
    std::string layers;
    for (const auto land_class : {kOther, kRoad, kBuilding}) {
        const auto& a = appearance(land_class);
        layers += layer_entry(a.cad_layer, a.cad_colour, handle++);
    }
    for (const char* name : {cad::kTiles, cad::kRemarks, cad::kRoadAxes})
        layers += layer_entry(name, 7, handle++);
    const std::string first_layer = "AcDbSymbolTable\n 70\n     1\n  0\nLAYER\n";
    replace_once(words, first_layer, "AcDbSymbolTable\n 70\n     1\n" + layers + "  0\nLAYER\n");
    return words;
}

/// A header in GDAL's file system in memory.
class HeaderFile {
public:
    HeaderFile() : words_(header()) {
        VSIFCloseL(VSIFileFromMemBuffer(name().c_str(), reinterpret_cast<GByte*>(words_.data()),
                                        words_.size(), FALSE));
    }
    HeaderFile(const HeaderFile&) = delete;
    HeaderFile& operator=(const HeaderFile&) = delete;
    ~HeaderFile() { VSIUnlink(name().c_str()); }
    [[nodiscard]] CPLStringList option() const {
        CPLStringList options;
        options.SetNameValue("HEADER", name().c_str());
        return options;
    }

private:
    [[nodiscard]] std::string name() const { return text("/vsimem/civitas-header-", this); }
    std::string words_;
};

/// Closed polylines, not hatches, in the colour of their layer. GDAL's writer keeps no extended
/// data, so tile, origin and licence stand as text and square on layers of their own.
class Dxf : private HeaderFile, public GdalFile {
public:
    Dxf(const std::filesystem::path& file, const Provenance& from)
        : GdalFile(file, "DXF", from, Through::memory, nullptr, HeaderFile::option()) {
        const Setting outlines("DXF_WRITE_HATCH", "NO");
        layer_ = &add_layer("entities", wkbUnknown);
        std::string comment = text("999\nmetres; ", sentence_about(from), '\n');
        if (!from.licence.empty()) comment += text("999\nlicence: ", from.licence, '\n');
        set_heading(comment);
    }

    void add(std::uint8_t land_class, const Polygons& polygons, std::int64_t /*tile*/) override {
        for (const auto& p : polygons) add_shape(appearance(land_class).cad_layer, p);
    }

    void add_axes(const std::vector<RoadAxis>& axes, std::int64_t /*tile*/) override {
        for (const auto& axis : axes) add_shape(cad::kRoadAxes, line_of(axis));
    }

    void add_tile(const TileFigures& tile) override {
        add_shape(cad::kTiles, ground_of(tile));
        const auto& from = provenance();
        add_text(text("tile ", tile.tile, ": ", sentence_about(from)),
                 {tile.west + 2, tile.south + 2});
        if (from.licence.empty()) return;
        std::string left = "licence: " + from.licence;
        for (int line = 1; !left.empty(); ++line) {
            std::size_t end = std::min(kTextLength, left.size());
            while (end < left.size() && (left[end] & 0xC0) == 0x80) --end;  // within a character
            add_text(left.substr(0, end), {tile.west + 2, tile.south + 2 + 3.0 * line});
            left.erase(0, end);
        }
    }

private:
    static constexpr std::size_t kTextLength = 200;  // the format's limit is 250 bytes
    void add_shape(const char* cad_layer, const OGRGeometry& shape) {
        OGRFeature feature(layer_->GetLayerDefn());
        feature.SetField("Layer", cad_layer);
        put(*layer_, feature, shape);
    }
    void add_text(std::string words, Point at) {
        std::replace(words.begin(), words.end(), '"', '\'');
        OGRFeature feature(layer_->GetLayerDefn());
        feature.SetField("Layer", cad::kRemarks);
        feature.SetStyleString(text("LABEL(f:\"Arial\",t:\"", words, "\",s:2g)").c_str());
        put(*layer_, feature, OGRPoint(at.x, at.y));
    }
    OGRLayer* layer_ = nullptr;
};

}  // namespace

std::unique_ptr<MapFile> make_dxf(const std::filesystem::path& file, const Provenance& from) {
    return std::make_unique<Dxf>(file, from);
}

}  // namespace civitas::vectorize
