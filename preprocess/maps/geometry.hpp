#pragma once
/// From GDAL's geometries to polygons in the target system.
#include "preprocess/maps/crs.hpp"
#include "preprocess/maps/shapes.hpp"
#include "preprocess/maps/tally.hpp"

#include <ogr_geometry.h>
#include <memory>

namespace civitas::maps {

/// The entry of the tally that counts what was used after all.
inline constexpr const char* mended_polygons = "invalid polygons, mended";

/// What a feature is to become.
struct Purport {
    data::LandClass value = data::LandClass::building;
    std::uint16_t source = 0;
    double line_width = 0;        ///< metres a line is widened to; 0: lines are left out
    bool closed_is_area = false;  ///< a closed line is the outline of an area
};

/// Turns geometries into shapes: curves as chords, transformed to the target system, lines widened,
/// invalid polygons mended. What cannot be used is counted.
class ShapeMaker {
public:
    /// Both systems with easting or longitude first.
    ShapeMaker(const OGRSpatialReference& from, const OGRSpatialReference& to, Shapes& shapes,
               Tally& left_out);
    void add(const OGRGeometry* geometry, const Purport& purport);

private:
    void add_part(const OGRGeometry& part, const Purport& purport);
    void add_line(const OGRLineString& line, const Purport& purport);
    void add_area(const OGRPolygon& polygon, const Purport& purport);
    void store(const OGRPolygon& polygon, const Purport& purport);

    std::unique_ptr<OGRCoordinateTransformation> transformation_;  ///< none when the same
    Shapes& shapes_;
    Tally& left_out_;
};

}  // namespace civitas::maps
