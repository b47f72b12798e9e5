#include "ogr.hpp"

#include <array>

namespace civitas::vectorize {
namespace {

void add_ring(OGRPolygon& polygon, const Ring& ring) {
    auto line = std::make_unique<OGRLinearRing>();
    for (const Point p : ring) line->addPoint(p.x, p.y);
    line->closeRings();
    polygon.addRingDirectly(line.release());
}

Ring to_ring(const OGRLinearRing& line) {
    Ring ring;
    for (int i = 0; i + 1 < line.getNumPoints(); ++i) ring.push_back({line.getX(i), line.getY(i)});
    return ring;
}

}  // namespace

OGRPolygon to_polygon(const Shape& shape) {
    OGRPolygon polygon;
    add_ring(polygon, shape.outer);
    for (const auto& hole : shape.holes) add_ring(polygon, hole);
    return polygon;
}

Shape to_shape(const OGRPolygon& polygon) {
    Shape shape;
    shape.outer = to_ring(*polygon.getExteriorRing());
    for (int i = 0; i < polygon.getNumInteriorRings(); ++i) {
        shape.holes.push_back(to_ring(*polygon.getInteriorRing(i)));
    }
    return shape;
}

OGRPolygon square(double side) {
    return to_polygon({{{0, 0}, {side, 0}, {side, side}, {0, side}}, {}});
}

Polygons polygons_of(const OGRGeometry* geometry) {
    if (geometry == nullptr || geometry->IsEmpty()) return {};
    const auto type = wkbFlatten(geometry->getGeometryType());
    if (type == wkbPolygon) return {*geometry->toPolygon()};
    Polygons all;
    if (!OGR_GT_IsSubClassOf(type, wkbGeometryCollection)) return all;
    for (const auto* part : *geometry->toGeometryCollection()) {
        for (auto& polygon : polygons_of(part)) all.push_back(std::move(polygon));
    }
    return all;
}

Polygons dissolved(const Polygons& parts) {
    OGRMultiPolygon together;
    for (const auto& part : parts) together.addGeometry(&part);
    return polygons_of(GeometryPtr(together.UnionCascaded()).get());
}

std::optional<Point> point_inside(const OGRPolygon& polygon) {
    auto* handle = OGRGeometry::ToHandle(const_cast<OGRPolygon*>(&polygon));
    const GeometryPtr found(OGRGeometry::FromHandle(OGR_G_PointOnSurface(handle)));
    if (!found || found->IsEmpty()) return std::nullopt;
    return Point{found->toPoint()->getX(), found->toPoint()->getY()};
}

double perimeter(const OGRPolygon& polygon) {
    double sum = 0;
    for (const auto* ring : polygon) sum += ring->get_Length();
    return sum;
}

double overlap(const OGRPolygon& a, const OGRPolygon& b) {
    OGREnvelope of_a, of_b;
    a.getEnvelope(&of_a);
    b.getEnvelope(&of_b);
    if (!of_a.Intersects(of_b)) return 0;
    const GeometryPtr common(a.Intersection(&b));
    double sum = 0;
    for (const auto& part : polygons_of(common.get())) sum += part.get_Area();
    return sum;
}

Dataset with_all_tables(const std::string& file, const char* driver, unsigned access) {
    GDALAllRegister();
    const std::array<const char*, 2> drivers{driver, nullptr};
    constexpr std::array<const char*, 2> options{"LIST_ALL_TABLES=YES", nullptr};
    return Dataset(
        GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | access, drivers.data(), options.data()));
}

QuietGdal::QuietGdal() { CPLPushErrorHandlerEx(hear, this); }
QuietGdal::~QuietGdal() { CPLPopErrorHandler(); }

void QuietGdal::hear(CPLErr kind, CPLErrorNum, const char* words) {
    auto& self = *static_cast<QuietGdal*>(CPLGetErrorHandlerUserData());
    if (kind >= CE_Failure && self.failure_.empty()) self.failure_ = words;
}

}  // namespace civitas::vectorize
