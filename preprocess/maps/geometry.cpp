#include "geometry.hpp"

#include "civitas/base/error.hpp"
#include "gdal.hpp"
#include "preprocess/linework/tangle.hpp"

#include <cpl_error.h>
#include <algorithm>
#include <cmath>

namespace civitas::maps {
namespace {

using linework::crossings_of;

constexpr int segments_per_quarter = 4;     // of the round ends and joints of widened lines
constexpr int fewest_points_of_a_ring = 4;  // the first is the last

using Geometry = std::unique_ptr<OGRGeometry>;

/// Looks at every point: an envelope passes over those that are no numbers.
class FinitePoints final : public OGRDefaultConstGeometryVisitor {
public:
    using OGRDefaultConstGeometryVisitor::visit;
    void visit(const OGRPoint* point) override {
        all_ = all_ && std::isfinite(point->getX()) && std::isfinite(point->getY());
    }
    [[nodiscard]] bool all() const { return all_; }

private:
    bool all_ = true;
};

bool is_finite(const OGRGeometry& geometry) {
    FinitePoints points;
    geometry.accept(&points);
    return points.all();
}

/// A copy that is flat, without curves.
Geometry linear_copy(const OGRGeometry& geometry) {
    Geometry copy(geometry.hasCurveGeometry() != 0 ? geometry.getLinearGeometry()
                                                   : geometry.clone());
    if (copy) copy->flattenTo2D();
    return copy;
}

/// Mending and widening take the square of this long.
constexpr std::int64_t most_crossings = 50'000;
constexpr std::int64_t most_crossings_of_line_work = 1'000;
/// So few points cannot cross so often.
constexpr int few_points = 300;

/// GEOS's structural method keeps the areas of the rings; its line work, the only one before GEOS
/// 3.10, is slow beyond measure where there are many crossings. Nothing when it would not end.
Geometry mended_copy(const OGRPolygon& polygon) {
    const auto crossings = crossings_of(polygon, most_crossings);
    if (crossings >= most_crossings) return nullptr;
    const char* const structure[] = {"METHOD=STRUCTURE", nullptr};
    Geometry mended(polygon.MakeValid(structure));
    if (mended || crossings >= most_crossings_of_line_work) return mended;
    return Geometry(polygon.MakeValid());
}

void store_ring(const OGRLinearRing& ring, Shapes& shapes) {
    std::vector<Point> points;
    points.reserve(static_cast<std::size_t>(ring.getNumPoints()));
    for (int i = 0; i < ring.getNumPoints(); ++i) points.push_back({ring.getX(i), ring.getY(i)});
    shapes.add_ring(points);
}

}  // namespace

ShapeMaker::ShapeMaker(const OGRSpatialReference& from, const OGRSpatialReference& to,
                       Shapes& shapes, Tally& left_out)
    : ground_(ground_of_use(to)), shapes_(shapes), left_out_(left_out) {
    if (from.IsSame(&to) != 0) return;
    transformation_.reset(OGRCreateCoordinateTransformation(&from, &to));
    if (!transformation_)
        throw Error(text("no way from ", name_of(from), " to ", name_of(to)),
                    Hint{"--crs names another system"});
}

bool ShapeMaker::is_astray(const OGRGeometry& geometry) const {
    OGREnvelope box;
    geometry.getEnvelope(&box);
    return ground_ && !(box.MinX >= ground_->min_x && box.MaxX <= ground_->max_x &&
                        box.MinY >= ground_->min_y && box.MaxY <= ground_->max_y);
}

Outcome ShapeMaker::add(const OGRGeometry* geometry, const Purport& purport) {
    if (geometry == nullptr || geometry->IsEmpty() != 0) {
        ++left_out_["features without geometry"];
        return Outcome::useless;
    }
    const auto flat = linear_copy(*geometry);
    if (!flat || (transformation_ && flat->transform(transformation_.get()) != OGRERR_NONE) ||
        !is_finite(*flat) || is_astray(*flat)) {
        ++left_out_[astray_features];
        return Outcome::astray;
    }
    const auto before = shapes_.size();
    tangled_ = false;
    add_part(*flat, purport);
    if (tangled_) return Outcome::tangled;
    if (shapes_.size() != before) return Outcome::used;
    ++left_out_["features that are no area or road line"];
    return Outcome::useless;
}

void ShapeMaker::add_part(const OGRGeometry& part, const Purport& purport) {
    const auto type = wkbFlatten(part.getGeometryType());
    if (type == wkbPolygon || type == wkbTriangle) {
        add_area(*part.toPolygon(), purport);
    } else if (type == wkbLineString) {
        add_line(*part.toLineString(), purport);
    } else if (OGR_GT_IsSubClassOf(type, wkbGeometryCollection) != 0) {
        for (const auto* member : *part.toGeometryCollection()) add_part(*member, purport);
    } else if (OGR_GT_IsSubClassOf(type, wkbPolyhedralSurface) != 0) {
        for (const auto* member : *part.toPolyhedralSurface()) add_part(*member, purport);
    }
}

void ShapeMaker::add_line(const OGRLineString& line, const Purport& purport) {
    if (purport.closed_is_area && line.get_IsClosed() != 0 && line.getNumPoints() > 3) {
        OGRLinearRing ring;
        ring.addSubLineString(&line);
        OGRPolygon area;
        area.addRing(&ring);
        add_area(area, purport);
    } else if (purport.line_width > 0) {
        if (line.getNumPoints() > few_points &&
            crossings_of(line, most_crossings) >= most_crossings) {
            leave_tangled();
            return;
        }
        const Geometry widened(line.Buffer(purport.line_width / 2, segments_per_quarter));
        auto as_area = purport;
        as_area.line_width = 0;
        if (widened) add_part(*widened, as_area);
    }
}

void ShapeMaker::add_area(const OGRPolygon& polygon, const Purport& purport) {
    const QuietGdal quiet;  // GEOS comments on every polygon it finds wrong; we count them
    if (polygon.IsValid() != 0) {
        store(polygon, purport);
        return;
    }
    const auto* outline = polygon.getExteriorRing();
    if (outline == nullptr || outline->getNumPoints() < fewest_points_of_a_ring) return;
    const auto mended = mended_copy(polygon);
    if (!mended) {
        leave_tangled();
        return;
    }
    ++left_out_[mended_polygons];
    if (wkbFlatten(mended->getGeometryType()) == wkbPolygon) {
        store(*mended->toPolygon(), purport);
    } else if (OGR_GT_IsSubClassOf(mended->getGeometryType(), wkbGeometryCollection) != 0) {
        // Of what mending gives only areas count; the lines it may leave have none.
        for (const auto* member : *mended->toGeometryCollection())
            if (wkbFlatten(member->getGeometryType()) == wkbPolygon)
                store(*member->toPolygon(), purport);
            else if (wkbFlatten(member->getGeometryType()) == wkbMultiPolygon)
                for (const auto* part : *member->toMultiPolygon()) store(*part, purport);
    }
}

void ShapeMaker::leave_tangled() {
    ++left_out_[tangled_geometries];
    tangled_ = true;
}

void ShapeMaker::store(const OGRPolygon& polygon, const Purport& purport) {
    if (polygon.IsEmpty() != 0) return;
    shapes_.begin(purport.value, purport.origin);
    for (const auto* ring : polygon) store_ring(*ring, shapes_);
}

}  // namespace civitas::maps
