#include "preprocess/vectorize/plan.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>

namespace civitas::vectorize {
namespace {

constexpr double kCoverChange = 0.02;  // of the tile, per class

/// What is tried until a plan is sound; the pixels' own edges come last.
struct Attempt {
    Detail detail;
    double tolerance;  ///< times the one asked for
};
constexpr std::array<Attempt, 4> kAttempts{
    {{Detail::regular, 1}, {Detail::regular, 0.5}, {Detail::fitted, 1}, {Detail::fitted, 0.5}}};

double total(const Polygons& polygons) {
    double sum = 0;
    for (const auto& polygon : polygons) sum += polygon.get_Area();
    return sum;
}

void scale(Polygons& polygons, double factor) {
    for (auto& polygon : polygons) {
        Shape shape = to_shape(polygon);
        for (auto& p : shape.outer) p = factor * p;
        for (auto& hole : shape.holes) {
            for (auto& p : hole) p = factor * p;
        }
        polygon = to_polygon(shape);
    }
}

bool all_valid(const Polygons& polygons) {
    return std::all_of(polygons.begin(), polygons.end(),
                       [](const OGRPolygon& polygon) { return polygon.IsValid(); });
}

/// Valid polygons that fill the tile.
bool whole(const Plan& plan, double metres) {
    const double tile = metres * metres;
    const double sum = total(plan.buildings) + total(plan.roads) + total(plan.other);
    return std::abs(sum - tile) < 1e-6 * tile && all_valid(plan.buildings) &&
           all_valid(plan.roads) && all_valid(plan.other);
}

/// Buildings and roads cover what they cover in the pixels.
bool faithful(const Plan& plan, const ClassRaster& raster, double metres) {
    const double tile = metres * metres;
    return std::abs(total(plan.buildings) / tile - raster.share(kBuilding)) < kCoverChange &&
           std::abs(total(plan.roads) / tile - raster.share(kRoad)) < kCoverChange;
}

Plan drawn(const ClassRaster& clean, const Tracing& tracing, Detail detail) {
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
    const auto lines = network(roads, clean, outlines, tracing.tolerance, detail);
    const auto cut = faces(lines);
    auto ground = assigned(cut, outlines, clean, least);
    Plan plan{std::move(ground.buildings), std::move(ground.roads), std::move(ground.other),
              detail};
    for (auto* layer : {&plan.buildings, &plan.roads, &plan.other}) scale(*layer, pixel);
    return plan;
}

}  // namespace

Plan vectorized(const ClassRaster& raster, const Tracing& tracing) {
    const QuietGdal quiet;  // GEOS's complaints lead to less detail, not to words
    const double pixel = tracing.tile_metres / raster.side;
    const auto least = static_cast<int>(std::ceil(tracing.minimum_area / (pixel * pixel)));
    const auto clean = sieved(raster, least);
    for (const Attempt& attempt : kAttempts) {
        if (attempt.detail < tracing.detail) continue;
        Tracing closer = tracing;
        closer.tolerance *= attempt.tolerance;
        try {
            auto plan = drawn(clean, closer, attempt.detail);
            const bool good =
                whole(plan, tracing.tile_metres) && faithful(plan, clean, tracing.tile_metres);
            if (good) return plan;
        } catch (const Error&) {  // less detail cannot fail this way
        }
    }
    auto plan = drawn(clean, tracing, Detail::pixels);
    expect(whole(plan, tracing.tile_metres), "the pixels' edges make a valid plan");
    return plan;
}

}  // namespace civitas::vectorize
