#include "crs.hpp"

#include "gdal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
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
    if (const auto degrees = degrees_of(crs, place)) return *degrees;
    throw Error(
        text("the coordinates (", place.x, ", ", place.y, ") are not on Earth in ", name_of(crs)),
        Hint{"--crs names the system to cut tiles in"});
}

/// Metres on the ellipsoid of WGS 84 between places in degrees, a kilometre or so apart.
double metres_between(Place a, Place b) {
    constexpr double equator = 6378137, flattening = 1 / 298.257223563;
    constexpr double eccentricity = flattening * (2 - flattening);  // squared
    constexpr double radians = M_PI / 180;
    const double latitude = (a.y + b.y) / 2 * radians;
    const double bulge = 1 - eccentricity * std::sin(latitude) * std::sin(latitude);
    const double along_parallel = equator / std::sqrt(bulge) * std::cos(latitude);
    const double along_meridian = equator * (1 - eccentricity) / (bulge * std::sqrt(bulge));
    return std::hypot(along_parallel * std::remainder(b.x - a.x, 360) * radians,
                      along_meridian * (b.y - a.y) * radians);
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

std::string own_crs_of(OGRLayer& layer) {
    const auto* crs = layer.GetSpatialRef();
    // A GeoPackage says "undefined" in the form of a system.
    const bool defined =
        crs != nullptr && !std::string_view(crs->GetName()).starts_with("Undefined");
    return defined ? wkt_of(*crs) : "";
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

std::optional<Place> degrees_of(const OGRSpatialReference& crs, Place place) {
    OGRSpatialReference wgs84;
    wgs84.importFromEPSG(4326);
    wgs84.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const auto source = traditional(crs);
    const std::unique_ptr<OGRCoordinateTransformation> transformation(
        OGRCreateCoordinateTransformation(&source, &wgs84));
    if (!transformation || transformation->Transform(1, &place.x, &place.y) == 0 ||
        !std::isfinite(place.x) || !std::isfinite(place.y) || std::abs(place.y) > 90)
        return std::nullopt;
    return place;
}

Hint hint_of_true_system(const OGRSpatialReference& named, const std::string& map) {
    const auto mend = [&](int number) {
        return text("ogr2ogr -a_srs EPSG:", number, " mended.gpkg ", map);
    };
    if (named.IsGeographic() != 0)
        return {text("coordinates such as 2600000, 1200000 are metres, and ", mend(2056),
                     " says of which system, if it is that of Switzerland")};
    return {text("coordinates such as 7.4, 46.9 are degrees, and ", mend(4326), " says so")};
}

OGRSpatialReference utm_zone(const OGRSpatialReference& crs, Place place) {
    const auto degrees = to_degrees(crs, place);
    const int zone = std::clamp(static_cast<int>(std::floor((degrees.x + 180) / 6)) + 1, 1, 60);
    OGRSpatialReference utm;
    utm.importFromEPSG((degrees.y < 0 ? 32700 : 32600) + zone);
    return traditional(utm);
}

std::optional<Kilometre> kilometre_on_ground(const OGRSpatialReference& crs, Place place) {
    constexpr double kilometre = 1000;
    const double slanted = kilometre * M_SQRT1_2;
    const auto middle = degrees_of(crs, place);
    if (!middle) return std::nullopt;
    Kilometre length{std::numeric_limits<double>::max(), 0};
    for (const auto step : {Place{kilometre, 0}, Place{slanted, slanted}, Place{0, kilometre},
                            Place{-slanted, slanted}}) {
        const auto there = degrees_of(crs, {place.x + step.x, place.y + step.y});
        if (!there) return std::nullopt;
        const double metres = metres_between(*middle, *there);
        length = {std::min(length.least, metres), std::max(length.most, metres)};
    }
    return length;
}

void require_true_scale(const OGRSpatialReference& crs, Place place) {
    constexpr double least = 980, most = 1020;
    const auto length = kilometre_on_ground(crs, place);
    if (!length || (length->least >= least && length->most <= most)) return;
    throw UsageError(text("a kilometre of ", name_of(crs), " is ", std::lround(length->least),
                          " to ", std::lround(length->most),
                          " m on the ground in the middle of the map; tiles need metres on the "
                          "ground"),
                     Hint{text("--crs EPSG:", epsg(utm_zone(crs, place)), ", the local UTM zone")});
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
