#include "map_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/file_format.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace civitas::vectorize {

Format format_of(const std::filesystem::path& file) {
    using Ending = std::pair<std::string_view, Format>;
    constexpr std::array<Ending, 4> kEndings{{{".gpkg", Format::geopackage},
                                              {".dxf", Format::dxf},
                                              {".geojson", Format::geojson},
                                              {".city.json", Format::cityjson}}};
    const std::string last = io::extension_of(file);
    const std::string both = io::extension_of(file.stem()) + last;  // plans.city.json
    for (const auto& [known, format] : kEndings) {
        if (known == last || known == both) return format;
    }
    if (std::ranges::find(kEndings, file.filename().string(), &Ending::first) != kEndings.end())
        throw UsageError(
            text("--output ", file.string(), " is an ending without a name"),
            Hint{text("--output ",
                      (file.parent_path() / ("plan" + file.filename().string())).string())});
    throw UsageError(
        text("--output ", file.string(), " ends in none of .gpkg, .dxf, .geojson, .city.json"),
        Hint{"the ending chooses the format"});
}

std::unique_ptr<OGRSpatialReference> reference_system(const Provenance& provenance) {
    auto crs = std::make_unique<OGRSpatialReference>();
    crs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (!provenance.anchored) {
        crs->SetLocalCS("Undefined Cartesian SRS");  // GDAL's name of GeoPackage's srs_id -1
        crs->SetLinearUnits("metre", 1);
        return crs;
    }
    if (!provenance.crs_wkt.empty()) {
        if (crs->importFromWkt(provenance.crs_wkt.c_str()) == OGRERR_NONE) return crs;
        throw Error("the store's coordinate system cannot be read",
                    Hint{"civitas inspect shows its /crs_wkt"});
    }
    if (provenance.crs_epsg == 0) return nullptr;
    const bool sensible = std::in_range<int>(provenance.crs_epsg);
    if (sensible && crs->importFromEPSG(static_cast<int>(provenance.crs_epsg)) == OGRERR_NONE) {
        return crs;
    }
    throw Error(text("the store's coordinate system EPSG:", provenance.crs_epsg, " is not known"),
                Hint{"projinfo EPSG:2056 asks PROJ for one; make the tiles again with --crs"});
}

const Appearance& appearance(std::uint8_t land_class) {
    static constexpr std::array<Appearance, 3> kAll{
        {{"other", "other", "#d8e4c4", "#b4c69a", "01231", 82},
         {"roads", "road", "#c8c8c8", "#8c8c8c", "01221", 8},
         {"buildings", "building", "#c0504a", "#6e2824", "01211", 12}}};
    return kAll.at(land_class);
}

std::string sentence_about(const Provenance& provenance) {
    if (!provenance.synthetic) return "traced from the pixels of a map";
    std::string words = "synthetic plan, not a survey";
    if (!provenance.anchored) words += ", at no place on Earth";
    if (provenance.seed) words += text(", seed ", *provenance.seed);
    if (!provenance.fingerprint.empty()) words += text(", checkpoint ", provenance.fingerprint);
    return words;
}

}  // namespace civitas::vectorize
