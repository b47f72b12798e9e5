#pragma once
/// Between plain shapes and OGR's, and what OGR says when it fails.
#include "geometry.hpp"

#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace civitas::vectorize {

using Dataset = GDALDatasetUniquePtr;

/// A map of this driver with every table as a layer, registered or not; null when it does not open.
/// `access` is GDAL_OF_READONLY or GDAL_OF_UPDATE.
[[nodiscard]] Dataset with_all_tables(const std::string& file, const char* driver, unsigned access);

using GeometryPtr = std::unique_ptr<OGRGeometry>;
using Polygons = std::vector<OGRPolygon>;

[[nodiscard]] OGRPolygon to_polygon(const Shape& shape);
[[nodiscard]] Shape to_shape(const OGRPolygon& polygon);
[[nodiscard]] OGRPolygon square(double side);
/// Every polygon in a geometry, however nested; lines and points are left out.
[[nodiscard]] Polygons polygons_of(const OGRGeometry* geometry);
/// The union of polygons, as polygons that do not touch along a line.
[[nodiscard]] Polygons dissolved(const Polygons& parts);
/// A point in the interior, if GEOS finds one.
[[nodiscard]] std::optional<Point> point_inside(const OGRPolygon& polygon);
/// Length of outer ring and holes.
[[nodiscard]] double perimeter(const OGRPolygon& polygon);
/// Area of the intersection; 0 at once when the envelopes are apart.
[[nodiscard]] double overlap(const OGRPolygon& a, const OGRPolygon& b);

/// While it lives GDAL prints nothing; the first failure is kept for a message.
class QuietGdal {
public:
    QuietGdal();
    QuietGdal(const QuietGdal&) = delete;
    QuietGdal& operator=(const QuietGdal&) = delete;
    ~QuietGdal();
    /// Empty: nothing has failed.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

private:
    static void CPL_STDCALL hear(CPLErr kind, CPLErrorNum number, const char* words);
    std::string failure_;
};

}  // namespace civitas::vectorize
