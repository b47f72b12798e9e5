#pragma once
/// From GDAL's geometries to polygons in the target system.
#include "area_of_use.hpp"
#include "crs.hpp"
#include "shapes.hpp"
#include "tally.hpp"

#include <ogr_geometry.h>
#include <memory>

namespace civitas::maps {

/// The entry of the tally that counts what was used after all.
inline constexpr const char* mended_polygons = "invalid polygons, mended";
/// Entries that count what was left out.
inline constexpr const char* tangled_geometries = "parts that cross themselves too often to mend";
inline constexpr const char* astray_features =
    "features outside the ground the coordinate system is for";

/// What a feature is to become.
struct Purport {
    LandClass value = LandClass::building;
    double line_width = 0;        ///< metres a line is widened to; 0: lines are left out
    bool closed_is_area = false;  ///< a closed line is the outline of an area
    Origin origin = {};
};

enum class Outcome {
    used,
    useless,  ///< counted
    tangled,  ///< counted; at least a part of it
    astray    ///< counted; its coordinates lie where the target system is not used
};

/// Turns geometries into shapes: curves as chords, transformed to the target system, lines widened,
/// invalid polygons mended. What cannot be used is counted. The time for a geometry is bounded:
/// what crosses itself many thousand times is left out.
class ShapeMaker {
public:
    /// Both systems with easting or longitude first.
    ShapeMaker(const OGRSpatialReference& from, const OGRSpatialReference& to, Shapes& shapes,
               Tally& left_out);
    [[nodiscard]] Outcome add(const OGRGeometry* geometry, const Purport& purport);

private:
    [[nodiscard]] bool is_astray(const OGRGeometry& geometry) const;
    void add_part(const OGRGeometry& part, const Purport& purport);
    void add_line(const OGRLineString& line, const Purport& purport);
    void add_area(const OGRPolygon& polygon, const Purport& purport);
    void leave_tangled();
    void store(const OGRPolygon& polygon, const Purport& purport);

    std::unique_ptr<OGRCoordinateTransformation> transformation_;  ///< none when the same
    std::optional<Box> ground_;  ///< where the target system is used, if it says so
    Shapes& shapes_;
    Tally& left_out_;
    bool tangled_ = false;  ///< met in the geometry at hand
};

}  // namespace civitas::maps
