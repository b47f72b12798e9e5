#include "plan.hpp"

#include "borders.hpp"
#include "civitas/base/error.hpp"
#include "placing.hpp"

#include <algorithm>
#include <array>

namespace civitas::vectorize {
namespace {

constexpr double kCoverChange = 0.02;    // of the tile, per class
constexpr double kAxisTolerance = 0.75;  // times that of walls

/// What is tried until a plan is sound; the pixels' own edges come last.
struct Attempt {
    Detail buildings, roads;
    double tolerance;  ///< times the one asked for
};
constexpr std::array<Attempt, 5> kAttempts{{{Detail::regular, Detail::regular, 1},
                                            {Detail::regular, Detail::regular, 0.5},
                                            {Detail::regular, Detail::pixels, 1},
                                            {Detail::fitted, Detail::fitted, 1},
                                            {Detail::fitted, Detail::fitted, 0.5}}};

double total(const Polygons& polygons) {
    double sum = 0;
    for (const auto& polygon : polygons) sum += polygon.get_Area();
    return sum;
}

/// The tile's corners, on the grid of coordinates.
struct Frame {
    Point low, high;
    [[nodiscard]] double area() const { return (high.x - low.x) * (high.y - low.y); }
};

Frame frame_of(const Placement& placement, int side) {
    const auto end = static_cast<double>(side);
    return {placement({0, 0}), placement({end, end})};
}

/// Valid polygons that fill the tile.
bool whole(const Plan& plan, const Frame& frame) {
    std::vector<const OGRPolygon*> all;
    for (const auto* layer : {&plan.buildings, &plan.roads, &plan.other}) {
        for (const auto& polygon : *layer) all.push_back(&polygon);
    }
    const double sum = total(plan.buildings) + total(plan.roads) + total(plan.other);
    return std::abs(sum - frame.area()) < 1e-6 * frame.area() && fill(all, frame.low, frame.high);
}

/// Buildings and roads cover what they cover in the pixels.
bool faithful(const Plan& plan, const ClassRaster& raster, const Frame& frame) {
    const double tile = frame.area();
    return std::abs(total(plan.buildings) / tile - raster.share(kBuilding)) < kCoverChange &&
           std::abs(total(plan.roads) / tile - raster.share(kRoad)) < kCoverChange;
}

/// Pieces that rounding broke off go to what they touch most.
Plan joined(std::vector<Polygons> parts, std::array<std::size_t, 3> ends, double least) {
    std::array<Polygons, 3> layers;
    Polygons all, crumbs;
    std::vector<std::size_t> layer_of;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t layer = i < ends[0] ? 0 : i < ends[1] ? 1 : 2;
        const auto largest =
            std::max_element(parts[i].begin(), parts[i].end(),
                             [](auto& a, auto& b) { return a.get_Area() < b.get_Area(); });
        for (auto part = parts[i].begin(); part != parts[i].end(); ++part) {
            if (part != largest && part->get_Area() < least) {
                crumbs.push_back(*part);
            } else {
                all.push_back(*part);
                layer_of.push_back(layer);
            }
        }
    }
    for (const auto& crumb : crumbs) {
        const auto closest = BorderIndex(all).closest(crumb);
        if (!closest) throw Error("a piece of the tile touches no other");
        const auto both = dissolved({all[*closest], crumb});
        if (both.size() != 1) throw Error("two pieces that touch do not join");
        all[*closest] = both.front();
    }
    for (std::size_t i = 0; i < all.size(); ++i) layers[layer_of[i]].push_back(all[i]);
    return {std::move(layers[0]), std::move(layers[1]), std::move(layers[2]), {}};
}

Plan at_place(const Ground& ground, const Placement& placement, double least) {
    Polygons all = ground.buildings;
    all.insert(all.end(), ground.roads.begin(), ground.roads.end());
    const std::size_t roads_end = all.size();
    all.insert(all.end(), ground.other.begin(), ground.other.end());
    return joined(at_place(all, placement), {ground.buildings.size(), roads_end, all.size()},
                  least);
}

Plan drawn(const ClassRaster& clean, const Tracing& tracing, Detail detail, Detail of_roads) {
    const double pixel = tracing.tile_metres / clean.side;
    std::vector<Region> buildings, roads;
    for (auto& region : regions(clean)) {
        if (region.land_class == kBuilding)
            buildings.push_back(std::move(region));
        else if (region.land_class == kRoad)
            roads.push_back(std::move(region));
    }
    const double least = tracing.minimum_area / (pixel * pixel);
    auto outlines = footprints(buildings, clean, tracing.tolerance, least, detail);
    const auto lines = network(roads, clean, outlines, tracing.tolerance, of_roads);
    const auto cut = faces(lines);
    const auto ground = assigned(cut, outlines, clean, least);
    auto plan = at_place(ground, pixels_to_metres(pixel, tracing.corner), tracing.minimum_area);
    plan.detail = detail;
    return plan;
}

/// The plan with the centre lines of its roads.
Plan with_axes(Plan plan, const TileInContext& tile, const Tracing& tracing) {
    const double pixel = tracing.tile_metres / tile.side();
    const auto placement = pixels_to_metres(pixel, tracing.corner);
    for (auto& axis : road_axes(tile, kAxisTolerance * tracing.tolerance)) {
        for (auto& p : axis.points) p = placement(p);
        const auto last = std::unique(axis.points.begin(), axis.points.end());
        axis.points.erase(last, axis.points.end());
        axis.width *= pixel;
        if (axis.points.size() > 1) plan.axes.push_back(std::move(axis));
    }
    return plan;
}

}  // namespace

Plan vectorized(const TileInContext& tile, const Tracing& tracing) {
    const QuietGdal quiet;  // GEOS's complaints lead to less detail, not to words
    const ClassRaster clean = tile.tile();
    const double pixel = tracing.tile_metres / clean.side;
    const auto frame = frame_of(pixels_to_metres(pixel, tracing.corner), clean.side);
    for (const Attempt& attempt : kAttempts) {
        if (attempt.buildings < tracing.detail) continue;
        Tracing closer = tracing;
        closer.tolerance *= attempt.tolerance;
        try {
            auto plan = drawn(clean, closer, attempt.buildings, attempt.roads);
            if (whole(plan, frame) && faithful(plan, clean, frame))
                return with_axes(plan, tile, tracing);
        } catch (const Error&) {  // less detail cannot fail this way
        }
    }
    auto plan = drawn(clean, tracing, Detail::pixels, Detail::pixels);
    ensure(whole(plan, frame), "the pixels' edges make a valid plan");
    return with_axes(std::move(plan), tile, tracing);
}

}  // namespace civitas::vectorize
