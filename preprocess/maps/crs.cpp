#include "crs.hpp"

#include "civitas/base/error.hpp"
#include "gdal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace civitas::maps {
namespace {

constexpr double unit_tolerance = 1e-9;

OGRSpatialReference traditional(OGRSpatialReference crs) {
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return crs;
}

Place to_degrees(const OGRSpatialReference& crs, Place place) {
    OGRSpatialReference wgs84;
    wgs84.importFromEPSG(4326);
    wgs84.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const auto source = traditional(crs);
    const std::unique_ptr<OGRCoordinateTransformation> transformation(
        OGRCreateCoordinateTransformation(&source, &wgs84));
    if (!transformation || transformation->Transform(1, &place.x, &place.y) == 0 ||
        !std::isfinite(place.x) || !std::isfinite(place.y) || std::abs(place.y) > 90)
        throw Error(text("the coordinates (", place.x, ", ", place.y, ") are not on Earth in ",
                         name_of(crs)),
                    Hint{"--crs names the system to cut tiles in"});
    return place;
}

}  // namespace

std::optional<std::string> why_not_metric(const OGRSpatialReference& crs) {
    if (crs.IsGeographic() != 0) return "is in degrees";
    if (crs.IsProjected() == 0) return "is not a projected system";
    const char* projection = crs.GetAttrValue("PROJECTION");
    if (projection != nullptr && std::string_view(projection).starts_with("Mercator"))
        return "is a Mercator projection, whose metres are not metres on the ground";
    const char* unit = nullptr;
    const double metres = crs.GetLinearUnits(&unit);
    if (std::abs(metres - 1) > unit_tolerance)
        return text("has the unit ", unit == nullptr ? "?" : unit, " (", metres, " m)");
    return std::nullopt;
}

OGRSpatialReference parse_crs(const std::string& words) {
    const QuietGdal quiet;
    OGRSpatialReference crs;
    if (crs.SetFromUserInput(words.c_str()) != OGRERR_NONE)
        throw UsageError(text("--crs '", words, "' is no coordinate reference system"),
                         Hint{"--crs EPSG:2056"});
    return traditional(crs);
}

OGRSpatialReference parse_metric_crs(const std::string& words) {
    auto crs = parse_crs(words);
    if (const auto why = why_not_metric(crs))
        throw UsageError(text("--crs ", words, " ", *why, "; tiles need metres on the ground"),
                         Hint{"--crs EPSG:2056, or the local UTM zone"});
    return crs;
}

OGRSpatialReference utm_zone(const OGRSpatialReference& crs, Place place) {
    const auto degrees = to_degrees(crs, place);
    const int zone = std::clamp(static_cast<int>(std::floor((degrees.x + 180) / 6)) + 1, 1, 60);
    OGRSpatialReference utm;
    utm.importFromEPSG((degrees.y < 0 ? 32700 : 32600) + zone);
    return traditional(utm);
}

int epsg(const OGRSpatialReference& crs) {
    const char* authority = crs.GetAuthorityName(nullptr);
    const char* code = crs.GetAuthorityCode(nullptr);
    const bool known = authority != nullptr && code != nullptr && EQUAL(authority, "EPSG");
    return known ? std::atoi(code) : 0;
}

std::string name_of(const OGRSpatialReference& crs) {
    const char* name = crs.GetName();
    const std::string words = name == nullptr ? "unnamed" : name;
    const int number = epsg(crs);
    return number == 0 ? words : text("EPSG:", number, " (", words, ")");
}

std::string wkt_of(const OGRSpatialReference& crs) {
    char* words = nullptr;
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    crs.exportToWkt(&words, options);
    const std::unique_ptr<char, decltype(&CPLFree)> owner(words, CPLFree);
    return words == nullptr ? "" : words;
}

}  // namespace civitas::maps
