#include "areas.hpp"

#include "civitas/base/error.hpp"

#include <geos_c.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <utility>

namespace civitas::linework {
namespace {

/// Boundaries of a survey do not cross at all, but for some that miss each other by centimetres.
constexpr std::int64_t most_crossings = 50'000;
/// An edge of a real commune is compared with 4 others; where it were hundreds, GEOS would take
/// minutes to cut them.
constexpr std::int64_t comparisons_an_edge = 40, comparisons_of_few = 5'000'000;
/// Of a file: 25 an arc in a real commune. They take 16 bytes each, and some times that when areas
/// are found.
constexpr std::int64_t most_chords = 20'000'000;

class Geos {
public:
    Geos() : context_(OGRGeometry::createGEOSContext()) {}
    Geos(const Geos&) = delete;
    Geos& operator=(const Geos&) = delete;
    ~Geos() { OGRGeometry::freeGEOSContext(context_); }
    [[nodiscard]] GEOSContextHandle_t get() const { return context_; }

    using Geometry = std::unique_ptr<GEOSGeometry, std::function<void(GEOSGeometry*)>>;
    /// Throws Error for what a failing call returns.
    [[nodiscard]] Geometry own(GEOSGeometry* geometry, const char* call) const {
        if (geometry == nullptr)
            throw Error(text("GEOS gives up on the boundaries between areas (", call, ")"),
                        Hint{"are the coordinates metres of one survey?"});
        return {geometry, [this](GEOSGeometry* g) { GEOSGeom_destroy_r(context_, g); }};
    }

private:
    GEOSContextHandle_t context_;
};

std::vector<Edge> edges_of(const Lines& lines) {
    std::vector<Edge> edges;
    std::size_t begin = 0;
    for (const auto end : lines.ends) {
        for (auto i = begin; i + 1 < end; ++i)
            edges.push_back({lines.points[i], lines.points[i + 1]});
        begin = end;
    }
    return edges;
}

void require_bounded(const Lines& lines) {
    auto edges = edges_of(lines);
    const auto comparisons = comparisons_of_few + comparisons_an_edge * std::ssize(edges);
    if (crossings_of(std::move(edges), most_crossings, comparisons) >= most_crossings)
        throw Error(text("the boundaries between areas cross each other too often (more than ",
                         most_crossings,
                         " times), or lie too close upon each other, to be those "
                         "of a survey"),
                    Hint{"fetch the file again, or another delivery of the same survey"});
}

Geos::Geometry collection_of(const Geos& geos, const Lines& lines) {
    std::vector<Geos::Geometry> parts;
    std::size_t begin = 0;
    for (const auto end : lines.ends) {
        auto* sequence = GEOSCoordSeq_copyFromBuffer_r(
            geos.get(), &lines.points[begin].x, static_cast<unsigned>(end - begin), false, false);
        parts.push_back(
            geos.own(GEOSGeom_createLineString_r(geos.get(), sequence), "createLineString"));
        begin = end;
    }
    std::vector<GEOSGeometry*> handles;
    for (auto& part : parts) handles.push_back(part.release());
    return geos.own(GEOSGeom_createCollection_r(geos.get(), GEOS_MULTILINESTRING, handles.data(),
                                                static_cast<unsigned>(handles.size())),
                    "createCollection");
}

/// Places by their easting, so that a face looks at few.
class Places {
public:
    explicit Places(std::span<const Point> places) : places_(places) {
        for (std::size_t i = 0; i < places.size(); ++i) order_.push_back(i);
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return places_[a].x != places_[b].x ? places_[a].x < places_[b].x : a < b;
        });
    }

    template <class Visit>
    void within(const std::array<double, 4>& box, Visit&& visit) const {
        auto at = std::lower_bound(order_.begin(), order_.end(), box[0],
                                   [&](std::size_t i, double x) { return places_[i].x < x; });
        for (; at != order_.end() && places_[*at].x <= box[2]; ++at)
            if (places_[*at].y >= box[1] && places_[*at].y <= box[3]) visit(*at);
    }

private:
    std::span<const Point> places_;
    std::vector<std::size_t> order_;
};

std::array<double, 4> box_of(const Geos& geos, const GEOSGeometry* geometry) {
    std::array<double, 4> box{};
    GEOSGeom_getXMin_r(geos.get(), geometry, &box[0]);
    GEOSGeom_getYMin_r(geos.get(), geometry, &box[1]);
    GEOSGeom_getXMax_r(geos.get(), geometry, &box[2]);
    GEOSGeom_getYMax_r(geos.get(), geometry, &box[3]);
    return box;
}

/// The first place strictly within a face; as many as there are when there is none.
std::size_t place_within(const Geos& geos, const GEOSGeometry* face, const Places& index,
                         std::span<const Point> places) {
    const std::unique_ptr<const GEOSPreparedGeometry,
                          std::function<void(const GEOSPreparedGeometry*)>>
        prepared(GEOSPrepare_r(geos.get(), face),
                 [&](const GEOSPreparedGeometry* p) { GEOSPreparedGeom_destroy_r(geos.get(), p); });
    std::size_t first = places.size();
    index.within(box_of(geos, face), [&](std::size_t i) {
        const auto point = geos.own(
            GEOSGeom_createPointFromXY_r(geos.get(), places[i].x, places[i].y), "createPoint");
        if (i < first && GEOSPreparedContains_r(geos.get(), prepared.get(), point.get()) == 1)
            first = i;
    });
    return first;
}

std::unique_ptr<OGRPolygon> to_polygon(const Geos& geos, const GEOSGeometry* face) {
    std::unique_ptr<OGRGeometry> made(
        OGRGeometryFactory::createFromGEOS(geos.get(), const_cast<GEOSGeometry*>(face)));
    if (!made || wkbFlatten(made->getGeometryType()) != wkbPolygon) return nullptr;
    return std::unique_ptr<OGRPolygon>(made.release()->toPolygon());
}

/// The circle on which three points lie, in radians from its first to its last.
struct Circle {
    Point centre;
    double radius = 0, first = 0, last = 0;
};

/// Nothing for points in a line. Throws Error for an arc of kilometres: it would be thousands of
/// chords, in a file of a line.
std::optional<Circle> circle_of(Point begin, Point through, Point end) {
    constexpr double longest = 5000;
    Circle c;
    double middle = 0;
    if (!OGRGeometryFactory::GetCurveParameters(begin.x, begin.y, through.x, through.y, end.x,
                                                end.y, c.radius, c.centre.x, c.centre.y, c.first,
                                                middle, c.last))
        return std::nullopt;
    const double length = c.radius * std::abs(c.last - c.first);
    if (length > longest)
        throw Error(text("an arc is ", std::llround(length), " m long, and ", longest,
                         " m are the most that is read"));
    return c;
}

/// Radians between the ends of chords that leave their circle by the tolerance.
double finest_step(double radius) {
    constexpr double tolerance = 0.001, degree = std::numbers::pi / 180;
    constexpr double coarsest = 4 * degree, finest = 0.02 * degree;
    if (radius <= tolerance) return coarsest;
    return std::clamp(2 * std::acos(1 - tolerance / radius), finest, coarsest);
}

std::int64_t chords_on(const Circle& circle, ArcStep step) {
    const double radians =
        step.degrees > 0 ? step.degrees * std::numbers::pi / 180 : finest_step(circle.radius);
    return std::max(2LL, std::llround(std::ceil(std::abs(circle.last - circle.first) / radians)));
}

}  // namespace

std::vector<std::unique_ptr<OGRPolygon>> areas_around(std::span<const Point> places,
                                                      const Lines& lines) {
    std::vector<std::unique_ptr<OGRPolygon>> areas(places.size());
    if (lines.ends.empty()) return areas;
    require_bounded(lines);
    const Geos geos;
    const auto together = collection_of(geos, lines);
    const auto noded = geos.own(GEOSUnaryUnion_r(geos.get(), together.get()), "UnaryUnion");
    const GEOSGeometry* const parts[] = {noded.get()};
    const auto faces = geos.own(GEOSPolygonize_r(geos.get(), parts, 1), "Polygonize");
    const Places index(places);
    for (int i = 0; i < GEOSGetNumGeometries_r(geos.get(), faces.get()); ++i) {
        const auto* face = GEOSGetGeometryN_r(geos.get(), faces.get(), i);
        const auto place = place_within(geos, face, index, places);
        if (place < places.size()) areas[place] = to_polygon(geos, face);
    }
    return areas;
}

void Arcs::add(std::vector<Point>& points, Point through, Point end) {
    // Areas on both sides of an arc have it in opposite directions, and must have the same chords.
    const auto begin = points.back();
    const bool turned = std::pair(end.x, end.y) < std::pair(begin.x, begin.y);
    const auto circle = turned ? circle_of(end, through, begin) : circle_of(begin, through, end);
    if (!circle) {
        points.insert(points.end(), {through, end});
        return;
    }
    const auto count = chords_on(*circle, step_);
    if (count > most_chords - chords_)
        throw Error(text("the arcs up to here are ", chords_ + count, " chords, and ", most_chords,
                         " are the most that is read"));
    chords_ += count;
    const double step = (circle->last - circle->first) / static_cast<double>(count);
    for (std::int64_t i = 1; i < count; ++i) {
        const double angle = circle->first + static_cast<double>(turned ? count - i : i) * step;
        points.push_back({circle->centre.x + circle->radius * std::cos(angle),
                          circle->centre.y + circle->radius * std::sin(angle)});
    }
    points.push_back(end);
}

}  // namespace civitas::linework
