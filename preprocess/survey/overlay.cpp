#include "civitas/base/error.hpp"
#include "geometry.hpp"

#include <cpl_error.h>
#include <algorithm>

namespace civitas::survey {
namespace {

Shape made(OGRGeometry* shape, const char* call) {
    if (shape == nullptr) throw LibraryError(call, CPLGetLastErrorMsg());
    return Shape(shape);
}

void collect(const OGRGeometry& shape, std::vector<OGRPolygon>& out) {
    if (wkbFlatten(shape.getGeometryType()) == wkbPolygon) {
        if (!shape.IsEmpty()) out.push_back(*shape.toPolygon());
    } else if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const OGRGeometry* part : *shape.toGeometryCollection()) collect(*part, out);
    }
}

void collect(const OGRGeometry& shape, std::vector<Line>& out) {
    if (wkbFlatten(shape.getGeometryType()) == wkbLineString) {
        Line line;
        for (const OGRPoint& p : *shape.toLineString()) line.push_back({p.getX(), p.getY()});
        if (line.size() > 1) out.push_back(std::move(line));
    } else if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const OGRGeometry* part : *shape.toGeometryCollection()) collect(*part, out);
    }
}

}  // namespace

OGRPolygon polygon(const Ring& ring) {
    OGRLinearRing closed;
    for (const Point& p : ring) closed.addPoint(p.x, p.y);
    closed.closeRings();
    OGRPolygon out;
    out.addRing(&closed);
    return out;
}

Ring outer_ring(const OGRPolygon& land) {
    const OGRLinearRing& closed = *land.getExteriorRing();
    Ring out;
    for (int i = 0; i + 1 < closed.getNumPoints(); ++i)
        out.push_back({closed.getX(i), closed.getY(i)});
    if (signed_area(out) < 0) std::reverse(out.begin(), out.end());
    return out;
}

bool valid(const OGRPolygon& land) {
    const CPLErrorHandlerPusher quiet(CPLQuietErrorHandler);
    return land.IsValid() != FALSE;
}

Shape repaired(const OGRPolygon& land) { return made(land.MakeValid(), "OGRGeometry::MakeValid"); }

Shape simplified(const OGRPolygon& land, double metres) {
    return made(land.SimplifyPreserveTopology(metres), "OGRGeometry::SimplifyPreserveTopology");
}

Shape strip(const Line& centre, double half_width) {
    OGRLineString line;
    for (const Point& p : centre) line.addPoint(p.x, p.y);
    return made(line.Buffer(half_width, 2), "OGRGeometry::Buffer");
}

Shape buffer(const OGRGeometry& shape, double metres) {
    return made(shape.Buffer(metres, 2), "OGRGeometry::Buffer");
}

Shape difference(const OGRGeometry& a, const OGRGeometry& b) {
    return made(a.Difference(&b), "OGRGeometry::Difference");
}

Shape difference(const OGRPolygon& a, const std::vector<OGRPolygon>& parts) {
    OGRMultiPolygon all;
    for (const OGRPolygon& part : parts) all.addGeometry(&part);
    {
        // Parts that share walls are no valid collection, but GEOS mostly takes them, and a union
        // costs three times as much.
        const CPLErrorHandlerPusher quiet(CPLQuietErrorHandler);
        if (Shape quick{a.Difference(&all)}) return quick;
    }
    return difference(a, *together(parts));
}

Shape intersection(const OGRGeometry& a, const OGRGeometry& b) {
    return made(a.Intersection(&b), "OGRGeometry::Intersection");
}

Shape together(const std::vector<OGRPolygon>& parts) {
    OGRMultiPolygon all;
    for (const OGRPolygon& part : parts) all.addGeometry(&part);
    if (parts.empty()) return Shape(all.clone());
    return made(all.UnionCascaded(), "OGRGeometry::UnionCascaded");
}

std::vector<OGRPolygon> polygons(const OGRGeometry& shape) {
    std::vector<OGRPolygon> out;
    collect(shape, out);
    return out;
}

std::vector<Line> lines(const OGRGeometry& shape) {
    std::vector<Line> out;
    collect(shape, out);
    return out;
}

}  // namespace civitas::survey
