#include "land_cover_map.hpp"

#include "civitas/base/error.hpp"
#include "itf.hpp"
#include "xtf.hpp"

#include <cpl_error.h>
#include <ogrsf_frmts.h>
#include <algorithm>

namespace civitas::interlis {
namespace {

void check(OGRErr result, const char* call) {
    if (result != OGRERR_NONE) throw LibraryError(call, CPLGetLastErrorMsg());
}

bool ends_with(const std::string& name, const char* extension) {
    const std::string end(extension);
    return name.size() >= end.size() && EQUAL(name.c_str() + name.size() - end.size(), extension);
}

/// The survey's two systems by their eastings: 2 485 000 to 2 834 000 in LV95, 485 000 to 834 000
/// in LV03. Nothing for others.
int epsg_of(const Survey& survey) {
    constexpr int lv95 = 2056, lv03 = 21781;
    const auto first = std::find_if(survey.areas.begin(), survey.areas.end(),
                                    [](const Area& area) { return area.polygon != nullptr; });
    if (first == survey.areas.end()) return lv95;
    OGREnvelope box;
    first->polygon->getEnvelope(&box);
    if (box.MinX >= 2.4e6 && box.MaxX <= 2.9e6) return lv95;
    return box.MinX >= 4e5 && box.MaxX <= 9e5 ? lv03 : 0;
}

/// GDAL's driver of maps in memory, which had a name of its own before GDAL 3.11.
GDALDriver& memory_driver() {
    auto* manager = GetGDALDriverManager();
    auto* driver = manager->GetDriverByName("Memory");
    if (driver == nullptr) driver = manager->GetDriverByName("MEM");
    if (driver == nullptr)
        throw Error("this GDAL has no driver of maps in memory",
                    Hint{"install a GDAL with it; `ogrinfo --formats` lists what it has"});
    return *driver;
}

OGRLayer& add_layer(GDALDataset& map, const Survey& survey) {
    OGRSpatialReference crs;
    const int number = epsg_of(survey);
    if (number != 0) check(crs.importFromEPSG(number), "OGRSpatialReference::importFromEPSG");
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    auto* layer = map.CreateLayer(survey.layer.c_str(), number == 0 ? nullptr : &crs, wkbPolygon);
    if (layer == nullptr) throw LibraryError("GDALDataset::CreateLayer", CPLGetLastErrorMsg());
    OGRFieldDefn art("Art", survey.by_number ? OFTInteger : OFTString);
    check(layer->CreateField(&art), "OGRLayer::CreateField");
    return *layer;
}

void add_area(OGRLayer& layer, Area area) {
    OGRFeature feature(layer.GetLayerDefn());
    if (area.art) feature.SetField(0, area.art->c_str());
    if (area.polygon)
        check(feature.SetGeometryDirectly(area.polygon.release()),
              "OGRFeature::SetGeometryDirectly");
    check(layer.CreateFeature(&feature), "OGRLayer::CreateFeature");
}

GDALDatasetUniquePtr map_of(Survey& survey) {
    GDALDatasetUniquePtr map(memory_driver().Create("", 0, 0, 0, GDT_Unknown, nullptr));
    if (!map) throw LibraryError("GDALDriver::Create", CPLGetLastErrorMsg());
    auto& layer = add_layer(*map, survey);
    for (auto& area : survey.areas) add_area(layer, std::move(area));
    return map;
}

}  // namespace

Format format_of(const FileName& file) {
    if (ends_with(file.name, ".itf")) return Format::interlis1;
    const bool is24 = ends_with(file.name, ".xtf") && is_interlis24(file);
    return is24 ? Format::interlis24 : Format::none;
}

std::string model_of(const FileName& file, Format format, bool bear_damage) {
    return format == Format::interlis1 ? model_of_itf(file, bear_damage) : "";
}

LandCoverMap read_land_cover(const FileName& file, Format format, Reading reading) {
    auto survey = format == Format::interlis1 ? read_itf(file, reading) : read_xtf(file, reading);
    LandCoverMap map{map_of(survey), {}, std::move(survey.warnings)};
    const auto count = [&](const char* reason, std::int64_t number) {
        if (number > 0) map.left_out[reason] = number;
    };
    count("areas of land cover that is yet to be built", survey.projected);
    count("areas of land cover around which no boundary closes", survey.not_found);
    count("features that cannot be read", survey.damaged);
    count("ends of files that break off", survey.broke_off.empty() ? 0 : 1);
    if (!survey.broke_off.empty()) map.warnings.push_back(std::move(survey.broke_off));
    return map;
}

}  // namespace civitas::interlis
