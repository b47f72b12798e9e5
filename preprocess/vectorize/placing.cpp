#include "placing.hpp"

#include "civitas/base/error.hpp"

#include <geos_c.h>
#include <algorithm>

namespace civitas::vectorize {
namespace {

/// Outer ring against the clock, holes with it.
Shape oriented(Shape shape) {
    if (area(shape.outer) < 0) std::reverse(shape.outer.begin(), shape.outer.end());
    for (auto& hole : shape.holes) {
        if (area(hole) > 0) std::reverse(hole.begin(), hole.end());
    }
    return shape;
}

Ring moved(const Ring& ring, const Placement& placement) {
    Ring there;
    for (const Point p : ring) {
        const Point q = placement(p);
        if (there.empty() || !(there.back() == q)) there.push_back(q);
    }
    while (there.size() > 1 && there.front() == there.back()) there.pop_back();
    return there;
}

Shape moved(const Shape& shape, const Placement& placement) {
    Shape there{moved(shape.outer, placement), {}};
    for (const auto& hole : shape.holes) there.holes.push_back(moved(hole, placement));
    return there;
}

/// Still an outline with holes: then a set of shapes that filled the ground still does, for the
/// shapes cover each point as often as the line around all of them winds about it, which is once.
bool intact(const Shape& shape) {
    const bool turned =
        area(shape.outer) <= 0 || std::any_of(shape.holes.begin(), shape.holes.end(),
                                              [](const Ring& hole) { return area(hole) >= 0; });
    return !turned && to_polygon(shape).IsValid();
}

/// How often the ring winds about the point.
int winding(Point p, const Ring& ring) {
    int turns = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Point a = ring[i], b = ring[(i + 1) % ring.size()];
        const double side = cross(b - a, p - a);
        if (a.y <= p.y && b.y > p.y && side > 0) ++turns;
        if (a.y > p.y && b.y <= p.y && side < 0) --turns;
    }
    return turns;
}

bool covers(const Shape& shape, Point p) {
    int turns = winding(p, shape.outer);
    for (const auto& hole : shape.holes) turns += winding(p, hole);
    return turns > 0;
}

void add_ring(OGRMultiLineString& lines, const Ring& ring) {
    if (ring.size() < 2) return;
    OGRLineString line;
    for (const Point p : ring) line.addPoint(p.x, p.y);
    line.addPoint(ring.front().x, ring.front().y);
    lines.addGeometry(&line);
}

/// The lines cut wherever they meet, every end on the grid (snap rounding).
GeometryPtr noded(const OGRMultiLineString& lines, double cells) {
    const auto context = OGRGeometry::createGEOSContext();
    auto* before = lines.exportToGEOS(context);
    auto* after = before == nullptr ? nullptr : GEOSUnaryUnionPrec_r(context, before, 1 / cells);
    GeometryPtr found(after == nullptr ? nullptr
                                       : OGRGeometryFactory::createFromGEOS(context, after));
    GEOSGeom_destroy_r(context, after);
    GEOSGeom_destroy_r(context, before);
    OGRGeometry::freeGEOSContext(context);
    if (!found) throw Error("lines could not be cut on a grid");
    return found;
}

Polygons faces_of(const std::vector<Shape>& shapes, double cells) {
    OGRMultiLineString lines;
    for (const auto& shape : shapes) {
        add_ring(lines, shape.outer);
        for (const auto& hole : shape.holes) add_ring(lines, hole);
    }
    const auto network = noded(lines, cells);
    return polygons_of(GeometryPtr(network->Polygonize()).get());
}

std::vector<Polygons> cut_anew(const std::vector<Shape>& shapes, double cells) {
    std::vector<Polygons> parts(shapes.size());
    for (auto& face : faces_of(shapes, cells)) {
        const auto inside = point_inside(face);
        if (!inside) continue;
        const auto owner = std::find_if(shapes.begin(), shapes.end(),
                                        [&](const Shape& s) { return covers(s, *inside); });
        if (owner == shapes.end()) continue;
        parts[static_cast<std::size_t>(owner - shapes.begin())].push_back(std::move(face));
    }
    for (auto& part : parts) {
        if (part.size() > 1) part = dissolved(part);
    }
    return parts;
}

}  // namespace

Point Placement::operator()(Point p) const {
    // First a thousandth of a cell: what is halfway between two must not hang on the last bit.
    const auto rounded = [&](double v) {
        return std::round(std::round(v * cells * 1000) / 1000) / cells;
    };
    const Point q = place(p);
    return {rounded(q.x), rounded(q.y)};
}

Placement pixels_to_metres(double pixel, Point corner) {
    return {[=](Point p) { return corner + pixel * p; }};
}

std::vector<Polygons> at_place(const Polygons& polygons, const Placement& placement) {
    std::vector<Shape> shapes;
    for (const auto& polygon : polygons) {
        shapes.push_back(moved(oriented(to_shape(polygon)), placement));
    }
    if (!std::all_of(shapes.begin(), shapes.end(), intact)) {
        return cut_anew(shapes, placement.cells);
    }
    std::vector<Polygons> placed;
    for (const auto& shape : shapes) placed.push_back({to_polygon(shape)});
    return placed;
}

}  // namespace civitas::vectorize
