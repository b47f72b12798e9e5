#include "footprint.hpp"

#include "regular.hpp"

#include <algorithm>

namespace civitas::vectorize {
namespace {

constexpr double kAreaChange = 0.10;
// Mean distance in pixels between the pixels' edges and an outline; straight edges have up to an
// eighth.
constexpr double kMoved = 0.45, kMovedSome = 0.5, kMovedLittle = 0.25;
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
        polygon = inside.front();
    }
    const double before = pixels.get_Area(), after = polygon.get_Area();
    if (after < least_area || std::abs(after - before) > kAreaChange * before) return std::nullopt;
    const double moved = before + after - 2 * overlap(polygon, pixels);
    if (moved > moved_at_most * perimeter(pixels)) return std::nullopt;
    return polygon;
}

/// An outline, and on what terms it is taken.
struct Drawing {
    std::optional<Shape> shape;
    double moved_at_most = kMoved;
    bool right_angles_only = false;
};

bool all_right(const Shape& shape) {
    const auto right = [](const Ring& ring) {
        const auto corners = angles(ring);
        return std::all_of(corners.begin(), corners.end(), [](double angle) {
            return std::abs(angle - 90) < 10 || std::abs(angle - 270) < 10;
        });
    };
    return right(shape.outer) && std::all_of(shape.holes.begin(), shape.holes.end(), right);
}

std::optional<Shape> squared_shape(const std::vector<Outlines>& rings, double doubt) {
    const auto direction = main_direction(rings.front().edges);
    if (!direction) return std::nullopt;
    return drawn(rings, [&](const Outlines& ring) {
        return std::optional(closed_outline(squared(ring.edges, *direction, doubt)));
    });
}

/// From the most regular outline to the least. A generator rounds corners off over some pixels:
/// what strict lines do not make right-angled, looser ones may.
std::vector<Drawing> drawings(const Shape& shape, const ClassRaster& raster, double tolerance,
                              Detail detail) {
    std::vector<Drawing> all;
    const auto rings = outlines(shape, raster, tolerance);
    if (detail == Detail::regular) {
        const auto direction = main_direction(rings.front().edges);
        const auto strict = squared_shape(rings, 2.5);
        const bool island = direction && !on_border(rings.front().cracks);
        if (island) {
            all.push_back({drawn(rings, [&](const Outlines& ring) {
                return rectangle(ring.cracks, *direction, tolerance + 0.5);
            })});
        }
        all.push_back({strict, kMovedLittle, true});
        if (island && shape.holes.empty()) {
            all.push_back({Shape{moment_rectangle(shape.outer, *direction), {}}, kMovedSome, true});
        }
        const auto loose = squared_shape(outlines(shape, raster, 2 * tolerance), 4);
        all.push_back({loose, kMovedSome, true});
        all.push_back({strict, kMovedLittle});
        all.push_back({squared_shape(rings, 1)});
    }
    all.push_back({drawn(
        rings, [](const Outlines& ring) { return std::optional(closed_outline(ring.edges)); })});
    return all;
}

/// A building that gives way, outline by outline, to the pixels' own.
class Footprint {
public:
    Footprint(const Shape& shape, const ClassRaster& raster, double tolerance, double least_area,
              Detail detail)
        : pixels_(to_polygon(shape)),
          side_(raster.side),
          least_area_(std::min(least_area, pixels_.get_Area())) {
        if (detail != Detail::pixels) drawings_ = drawings(shape, raster, tolerance, detail);
        (void)yield();
    }

    [[nodiscard]] const OGRPolygon& chosen() const { return chosen_; }

    /// Take the next acceptable outline; false when the pixels' own is the choice already.
    bool yield() {
        if (next_ > drawings_.size()) return false;
        while (next_ < drawings_.size()) {
            const auto& drawing = drawings_[next_++];
            if (drawing.right_angles_only && !(drawing.shape && all_right(*drawing.shape)))
                continue;
            auto polygon =
                accepted(drawing.shape, pixels_, side_, least_area_, drawing.moved_at_most);
            if (!polygon) continue;
            chosen_ = *polygon;
            return true;
        }
        ++next_;
        chosen_ = pixels_;
        return true;
    }

private:
    OGRPolygon pixels_, chosen_;
    double side_, least_area_;
    std::vector<Drawing> drawings_;
    std::size_t next_ = 0;
};

}  // namespace

Polygons footprints(const std::vector<Region>& buildings, const ClassRaster& raster,
                    double tolerance, double least_area, Detail detail) {
    std::vector<Footprint> all;
    for (const auto& building : buildings) {
        all.emplace_back(building.shape, raster, tolerance, least_area, detail);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (overlap(all[i].chosen(), all[j].chosen()) < kSmallestOverlap) continue;
                const bool one = all[i].yield(), other = all[j].yield();
                changed = changed || one || other;
            }
        }
    }
    Polygons chosen;
    for (const auto& building : all) chosen.push_back(building.chosen());
    return chosen;
}

}  // namespace civitas::vectorize
