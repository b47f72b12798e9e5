#include "preprocess/vectorize/map_file.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>

namespace civitas::vectorize {

Format format_of(const std::filesystem::path& file) {
    constexpr std::array<std::pair<const char*, Format>, 3> kEndings{
        {{".gpkg", Format::geopackage}, {".dxf", Format::dxf}, {".geojson", Format::geojson}}};
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& [known, format] : kEndings) {
        if (ending == known) return format;
    }
    throw UsageError(text("--output ", file.string(), " ends in none of .gpkg, .dxf, .geojson"),
                     Hint{"the ending chooses the format"});
}

std::unique_ptr<OGRSpatialReference> reference_system(const Provenance& provenance) {
    auto crs = std::make_unique<OGRSpatialReference>();
    crs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (!provenance.crs_wkt.empty()) {
        if (crs->importFromWkt(provenance.crs_wkt.c_str()) == OGRERR_NONE) return crs;
        throw Error("the store's coordinate system cannot be read",
                    Hint{"civitas inspect shows its /crs_wkt"});
    }
    if (provenance.crs_epsg == 0) return nullptr;
    if (crs->importFromEPSG(static_cast<int>(provenance.crs_epsg)) == OGRERR_NONE) return crs;
    throw Error(text("the store's coordinate system EPSG:", provenance.crs_epsg, " is not known"));
}

std::string sentence_about(const Provenance& provenance) {
    if (!provenance.synthetic) return "traced from the pixels of a map";
    std::string words = "synthetic plan, not a survey";
    if (provenance.seed) words += text(", seed ", *provenance.seed);
    if (!provenance.fingerprint.empty()) words += text(", checkpoint ", provenance.fingerprint);
    return words;
}

}  // namespace civitas::vectorize
