#include "area_of_use.hpp"

#include "civitas/base/error.hpp"
#include "gdal.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace civitas::maps {
namespace {

constexpr double least_margin = 1;  // degrees
constexpr double last_latitude = 89, last_longitude = 180;
constexpr int points_on_a_side = 21;

/// In degrees: longitudes as x, latitudes as y.
std::optional<Box> degrees_of_use(const OGRSpatialReference& crs) {
    Box box;
    const bool known = crs.GetAreaOfUse(&box.min_x, &box.min_y, &box.max_x, &box.max_y, nullptr);
    // An area across the 180th meridian has its west in the east.
    if (!known || box.min_x < -last_longitude || box.min_x >= box.max_x) return std::nullopt;
    return box;
}

Box with_margin(const Box& box) {
    const double x = std::max(least_margin, box.max_x - box.min_x);
    const double y = std::max(least_margin, box.max_y - box.min_y);
    return {std::max(-last_longitude, box.min_x - x), std::max(-last_latitude, box.min_y - y),
            std::min(last_longitude, box.max_x + x), std::min(last_latitude, box.max_y + y)};
}

}  // namespace

std::optional<Box> ground_of_use(const OGRSpatialReference& crs) {
    const auto degrees = degrees_of_use(crs);
    if (!degrees) return std::nullopt;
    const auto wide = with_margin(*degrees);
    const QuietGdal quiet;
    const auto wgs84 = parse_crs("EPSG:4326");
    const std::unique_ptr<OGRCoordinateTransformation> transformation(
        OGRCreateCoordinateTransformation(&wgs84, &crs));
    Box ground;
    const bool known = transformation != nullptr &&
                       transformation->TransformBounds(
                           wide.min_x, wide.min_y, wide.max_x, wide.max_y, &ground.min_x,
                           &ground.min_y, &ground.max_x, &ground.max_y, points_on_a_side) != 0;
    const bool finite = std::isfinite(ground.min_x) && std::isfinite(ground.min_y) &&
                        std::isfinite(ground.max_x) && std::isfinite(ground.max_y);
    return known && finite && !ground.empty() ? std::optional(ground) : std::nullopt;
}

std::string describe_use(const OGRSpatialReference& crs) {
    const auto box = degrees_of_use(crs);
    return box ? text("longitude ", box->min_x, "..", box->max_x, ", latitude ", box->min_y, "..",
                      box->max_y)
               : "";
}

}  // namespace civitas::maps
