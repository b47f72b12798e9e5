#include "footprint.hpp"

#include "described.hpp"
#include "direction.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace civitas::vectorize {
namespace {

constexpr double kAreaChange = 0.10;
constexpr double kMoved = 0.45;  // pixels: mean distance between the pixels' edges and an outline
constexpr double kLikeness = 0.80;  // intersection over union with the pixels
constexpr double kSmallestOverlap = 1e-6;

// An outline that straight walls explain: squared pixels of residual per crack (those of a straight
// wall are a twelfth by themselves), and the share of its length that goes by one direction.
constexpr double kClean = 0.2, kMostlySquare = 0.85;
// Times the price of an edge, from few right-angled corners to many.
constexpr std::array<double, 4> kCoarse{16, 8, 4, 2};
constexpr double kMostScaled = 0.1;
constexpr double kForbidden = 1e9;

using Rings = std::vector<std::vector<Crack>>;

Rings cracks_of(const Shape& shape, const ClassRaster& raster) {
    Rings all{cracks(shape.outer, raster, kBuilding)};
    for (const auto& hole : shape.holes) all.push_back(cracks(hole, raster, kBuilding));
    return all;
}

template <class Edges>  // Edges: ring of cracks -> edges
std::optional<Shape> drawn(const Rings& rings, Edges edges_of) {
    Shape shape;
    for (const auto& ring : rings) {
        auto line = closed_outline(edges_of(ring));
        if (line.size() < 3) return std::nullopt;
        (shape.outer.empty() ? shape.outer : shape.holes.emplace_back()) = std::move(line);
    }
    return shape;
}

std::optional<OGRPolygon> accepted(const std::optional<Shape>& shape, const OGRPolygon& pixels,
                                   double side, double least_area, double least_likeness) {
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
    const double both = overlap(polygon, pixels), either = before + after - both;
    if (either - both > kMoved * perimeter(pixels) && both < least_likeness * either)
        return std::nullopt;
    return polygon;
}

/// An outline that may be drawn, and on what terms it is taken.
struct Drawing {
    std::function<std::optional<Shape>()> draw;
    double least_likeness = 1;  ///< unless it moved little
};

/// From the most regular outline to the least. A generator draws rounded things, which right angles
/// stand for as long as they look alike.
class Drawings {
public:
    Drawings(const Shape& shape, const ClassRaster& raster, double tolerance)
        : rings_(cracks_of(shape, raster)),
          area_(area(shape)),
          centre_(centroid(shape.outer)),
          tolerance_(tolerance),
          exact_{tolerance * tolerance * Prices{}.square, tolerance * tolerance * Prices{}.slanted},
          directions_{moment_direction(shape.outer)} {
        if (const auto main = main_direction(fitted_edges(rings_.front(), tolerance)))
            directions_.push_back(*main);
    }

    [[nodiscard]] std::vector<Drawing> all(Detail detail) const {
        std::vector<Drawing> drawings;
        if (detail == Detail::regular) {
            drawings.push_back({[this] { return explained(); }});
            for (const double price : kCoarse)
                drawings.push_back({[=, this] {
                                        return in_words({price, kForbidden});
                                    },
                                    kLikeness});
            drawings.push_back({[this] { return in_words(exact_); }});
        }
        drawings.push_back({[this] {
            return drawn(rings_, [&](const auto& ring) { return fitted_edges(ring, tolerance_); });
        }});
        return drawings;
    }

private:
    [[nodiscard]] std::optional<Shape> in_words(const Prices& prices) const {
        return in_words(described(rings_.front(), directions_, prices), prices);
    }
    /// The holes in the direction of the outer ring.
    [[nodiscard]] std::optional<Shape> in_words(const Description& outer,
                                                const Prices& prices) const {
        return drawn(rings_, [&](const std::vector<Crack>& ring) {
            if (&ring == &rings_.front()) return outer.edges;
            return described(ring, outer.direction, prices).edges;
        });
    }
    /// The shape scaled to the area of the pixels, unless the tile's border cuts it.
    [[nodiscard]] std::optional<Shape> as_large(std::optional<Shape> shape) const {
        const auto& outer = rings_.front();
        if (!shape || std::any_of(outer.begin(), outer.end(), on_border)) return shape;
        const double scale = std::sqrt(area_ / area(*shape));
        if (!(std::abs(scale - 1) < kMostScaled)) return shape;
        const auto enlarge = [&](Ring& ring) {
            for (auto& p : ring) p = centre_ + scale * (p - centre_);
        };
        enlarge(shape->outer);
        for (auto& hole : shape->holes) enlarge(hole);
        return shape;
    }
    /// What straight walls, nearly all in one direction, explain.
    [[nodiscard]] std::optional<Shape> explained() const {
        const auto outer = described(rings_.front(), directions_, exact_);
        double square = 0, all = 0;
        for (const auto& edge : outer.edges) {
            if (edge.fixed) continue;
            all += edge.length;
            if (edge.axis >= 0) square += edge.length;
        }
        const auto cracks = static_cast<double>(rings_.front().size());
        const double most = kClean * std::max(1.0, tolerance_ * tolerance_) * cracks;
        if (square < kMostlySquare * all || outer.residual > most) return std::nullopt;
        return as_large(in_words(outer, exact_));
    }

    Rings rings_;
    double area_;
    Point centre_;
    double tolerance_;
    Prices exact_;
    std::vector<double> directions_;
};

/// A building that gives way, outline by outline, to the pixels' own.
class Footprint {
public:
    Footprint(const Shape& shape, const ClassRaster& raster, double tolerance, double least_area,
              Detail detail)
        : pixels_(to_polygon(shape)),
          side_(raster.side),
          least_area_(std::min(least_area, pixels_.get_Area())) {
        if (detail != Detail::pixels) {
            source_ = std::make_shared<Drawings>(shape, raster, tolerance);
            drawings_ = source_->all(detail);
        }
        (void)yield();
    }

    [[nodiscard]] const OGRPolygon& chosen() const { return chosen_; }

    /// Take the next acceptable outline; false when the pixels' own is the choice already.
    bool yield() {
        if (next_ > drawings_.size()) return false;
        while (next_ < drawings_.size()) {
            const auto& drawing = drawings_[next_++];
            auto polygon =
                accepted(drawing.draw(), pixels_, side_, least_area_, drawing.least_likeness);
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
    std::shared_ptr<const Drawings> source_;  // what the drawings are of
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
