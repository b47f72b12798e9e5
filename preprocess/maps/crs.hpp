#pragma once
/// Coordinate reference systems: tiles of so many metres need one whose unit is a metre on the
/// ground.
#include "civitas/base/error.hpp"

#include <ogr_spatialref.h>
#include <ogrsf_frmts.h>
#include <optional>
#include <string>

namespace civitas::maps {

/// Why tiles cannot be cut in this system ("is in degrees", ...); nothing when they can.
[[nodiscard]] std::optional<std::string> why_not_metric(const OGRSpatialReference& crs);

/// A layer's own system as WKT; empty if it has none.
[[nodiscard]] std::string own_crs_of(OGRLayer& layer);

/// A system by what users call it ("EPSG:2056", WKT, PROJ text). Throws UsageError.
[[nodiscard]] OGRSpatialReference parse_crs(const std::string& text);
/// The same, for tiles: throws UsageError unless it is metric.
[[nodiscard]] OGRSpatialReference parse_metric_crs(const std::string& text);

struct Place {
    double x = 0, y = 0;
};

/// The longitude and latitude (WGS 84) of a place in `crs`; nothing for what is not on Earth.
[[nodiscard]] std::optional<Place> degrees_of(const OGRSpatialReference& crs, Place place);

/// What helps where the coordinates of a map are of another system than the one it names;
/// the map as a shell and GDAL take it.
[[nodiscard]] Hint hint_of_true_system(const OGRSpatialReference& named, const std::string& map);

/// The UTM zone (WGS 84) around a place in `crs`. Throws Error when the place is not on Earth.
[[nodiscard]] OGRSpatialReference utm_zone(const OGRSpatialReference& crs, Place place);

/// How long a kilometre of a system is on the ground: in the directions where it is the least and
/// the most.
struct Kilometre {
    double least = 0, most = 0;  ///< in metres
};
/// Around a place in `crs`; nothing when that is not on Earth.
[[nodiscard]] std::optional<Kilometre> kilometre_on_ground(const OGRSpatialReference& crs,
                                                           Place place);
/// Throws UsageError where that is not a kilometre by more than 2 %: systems of the whole world
/// have metres that are none away from some line.
void require_true_scale(const OGRSpatialReference& crs, Place place);

/// EPSG number, 0 when it has none.
[[nodiscard]] int epsg(const OGRSpatialReference& crs);
/// "EPSG:2056 (CH1903+ / LV95)".
[[nodiscard]] std::string name_of(const OGRSpatialReference& crs);
[[nodiscard]] std::string wkt_of(const OGRSpatialReference& crs);

}  // namespace civitas::maps
