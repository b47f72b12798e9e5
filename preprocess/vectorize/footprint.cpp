#include "preprocess/vectorize/footprint.hpp"

#include "preprocess/vectorize/regular.hpp"

#include <algorithm>

namespace civitas::vectorize {
namespace {

constexpr double kAreaChange = 0.10;
// Mean distance in pixels between the pixels' edges and an outline; straight edges have up to an
// eighth.
constexpr double kMoved = 0.45, kMovedLittle = 0.25;
constexpr double kSmallestOverlap = 1e-6;

struct Outlines {
    std::vector<Crack> cracks;
    std::vector<Edge> edges;
};

std::vector<Outlines> outlines(const Shape& shape, const ClassRaster& raster, double tolerance) {
    std::vector<Outlines> all;
    const auto add = [&](const Ring& ring) {
        auto steps = cracks(ring, raster, kBuilding);
        auto edges = fitted_edges(steps, tolerance);
        all.push_back({std::move(steps), std::move(edges)});
    };
    add(shape.outer);
    for (const auto& hole : shape.holes) add(hole);
    return all;
}

bool on_border(const std::vector<Crack>& cracks) {
    return std::any_of(cracks.begin(), cracks.end(),
                       [](const Crack& c) { return c.beyond == kOutside; });
}

template <class Draw>  // Draw: Outlines -> optional<Ring>
std::optional<Shape> drawn(const std::vector<Outlines>& rings, Draw draw) {
    Shape shape;
    for (const auto& ring : rings) {
        auto line = draw(ring);
        if (!line || line->size() < 3) return std::nullopt;
        (shape.outer.empty() ? shape.outer : shape.holes.emplace_back()) = std::move(*line);
    }
    return shape;
}

std::optional<OGRPolygon> accepted(const std::optional<Shape>& shape, const OGRPolygon& pixels,
                                   double side, double least_area, double moved_at_most) {
    if (!shape) return std::nullopt;
    OGRPolygon polygon = to_polygon(*shape);
    if (!polygon.IsValid()) return std::nullopt;
    OGREnvelope extent;
    polygon.getEnvelope(&extent);
    if (extent.MinX < 0 || extent.MinY < 0 || extent.MaxX > side || extent.MaxY > side) {
        const OGRPolygon tile = square(side);
        auto inside = polygons_of(GeometryPtr(polygon.Intersection(&tile)).get());
        if (inside.size() != 1) return std::nullopt;
        polygon = std::move(inside.front());
    }
    const double before = pixels.get_Area(), after = polygon.get_Area();
    if (after < least_area || std::abs(after - before) > kAreaChange * before) return std::nullopt;
    const double moved = before + after - 2 * overlap(polygon, pixels);
    if (moved > moved_at_most * perimeter(pixels)) return std::nullopt;
    return polygon;
}

/// An outline, and how far it may be from the pixels.
struct Drawing {
    std::optional<Shape> shape;
    double moved_at_most = kMoved;
};

/// From the most regular outline to the least.
std::vector<Drawing> drawings(const std::vector<Outlines>& rings, double tolerance, Detail detail) {
    std::vector<Drawing> all;
    const auto direction = main_direction(rings.front().edges);
    const auto square_with = [&](double doubt) {
        return drawn(rings, [&](const Outlines& ring) {
            return std::optional(closed_outline(squared(ring.edges, *direction, doubt)));
        });
    };
    if (direction && detail == Detail::regular) {
        if (!on_border(rings.front().cracks)) {
            all.push_back({drawn(rings, [&](const Outlines& ring) {
                return rectangle(ring.cracks, *direction, tolerance + 0.5);
            })});
        }
        all.push_back({square_with(2.5), kMovedLittle});
        all.push_back({square_with(1)});
    }
    all.push_back({drawn(
        rings, [](const Outlines& ring) { return std::optional(closed_outline(ring.edges)); })});
    return all;
}

/// The acceptable outlines, the most regular first, the pixels' own last.
Polygons candidates(const Shape& shape, const ClassRaster& raster, double tolerance,
                    double least_area, Detail detail) {
    const OGRPolygon pixels = to_polygon(shape);
    Polygons all;
    if (detail != Detail::pixels) {
        const auto rings = outlines(shape, raster, tolerance);
        for (const auto& drawing : drawings(rings, tolerance, detail)) {
            auto polygon =
                accepted(drawing.shape, pixels, raster.side, least_area, drawing.moved_at_most);
            if (polygon) all.push_back(std::move(*polygon));
        }
    }
    all.push_back(pixels);
    return all;
}

}  // namespace

Polygons footprints(const std::vector<Region>& buildings, const ClassRaster& raster,
                    double tolerance, double least_area, Detail detail) {
    std::vector<Polygons> offers;
    for (const auto& building : buildings) {
        offers.push_back(candidates(building.shape, raster, tolerance, least_area, detail));
    }
    std::vector<std::size_t> choice(offers.size(), 0);
    const auto yield = [&](std::size_t i) {
        if (choice[i] + 1 == offers[i].size()) return false;
        ++choice[i];
        return true;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < offers.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (overlap(offers[i][choice[i]], offers[j][choice[j]]) < kSmallestOverlap)
                    continue;
                const bool one = yield(i), other = yield(j);
                changed = changed || one || other;
            }
        }
    }
    Polygons chosen;
    for (std::size_t i = 0; i < offers.size(); ++i) chosen.push_back(offers[i][choice[i]]);
    return chosen;
}

}  // namespace civitas::vectorize
