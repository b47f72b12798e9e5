#pragma once
/// What holds for every plan, and figures of one.
#include "preprocess/vectorize/outline.hpp"
#include "preprocess/vectorize/plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <queue>

namespace civitas::vectorize::checks {

inline constexpr double kMetres = 250;

inline double total(const Polygons& polygons) {
    double sum = 0;
    for (const auto& polygon : polygons) sum += polygon.get_Area();
    return sum;
}

inline double overlap_of_layers(const Polygons& a, const Polygons& b) {
    double sum = 0;
    for (const auto& p : a) {
        for (const auto& q : b) sum += overlap(p, q);
    }
    return sum;
}

/// Everything that holds for every plan.
inline void check_plan(const Plan& plan, double tile_metres, double minimum_area) {
    for (const auto* layer : {&plan.buildings, &plan.roads, &plan.other}) {
        for (const auto& polygon : *layer) {
            CHECK(polygon.IsValid());
            CHECK(polygon.get_Area() >= minimum_area);
        }
    }
    CHECK(overlap_of_layers(plan.buildings, plan.roads) < 1e-6);
    CHECK(overlap_of_layers(plan.buildings, plan.other) < 1e-6);
    CHECK(overlap_of_layers(plan.roads, plan.other) < 1e-6);
    for (std::size_t i = 0; i < plan.buildings.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            CHECK(overlap(plan.buildings[i], plan.buildings[j]) < 1e-6);
        }
    }
    const double sum = total(plan.buildings) + total(plan.roads) + total(plan.other);
    CHECK(sum == Approx(tile_metres * tile_metres).epsilon(1e-9));
    Polygons all = plan.buildings;
    all.insert(all.end(), plan.roads.begin(), plan.roads.end());
    all.insert(all.end(), plan.other.begin(), plan.other.end());
    CHECK(total(dissolved(all)) == Approx(tile_metres * tile_metres).epsilon(1e-9));
}

/// Sizes of the 4-connected building components: an oracle of its own, no GDAL.
inline std::vector<int> components(const ClassRaster& raster) {
    std::vector<int> sizes;
    auto left = raster.classes;
    const int n = raster.side;
    for (int start = 0; start < n * n; ++start) {
        if (left[static_cast<std::size_t>(start)] != kBuilding) continue;
        std::queue<int> open({start});
        left[static_cast<std::size_t>(start)] = kOther;
        int size = 0;
        for (; !open.empty(); open.pop(), ++size) {
            const int here = open.front(), column = here % n;
            for (const auto& [next, inside] : {std::pair{here - n, here >= n},
                                               {here + n, here + n < n * n},
                                               {here - 1, column > 0},
                                               {here + 1, column + 1 < n}}) {
                if (!inside || left[static_cast<std::size_t>(next)] != kBuilding) continue;
                left[static_cast<std::size_t>(next)] = kOther;
                open.push(next);
            }
        }
        sizes.push_back(size);
    }
    return sizes;
}

inline std::size_t components_of_at_least(const ClassRaster& raster, double metres, double area) {
    const double pixel = metres / raster.side;
    std::size_t count = 0;
    for (const int size : components(raster)) count += size * pixel * pixel >= area ? 1 : 0;
    return count;
}

struct Corners {
    double right = 0, per_building = 0;
};

inline Corners corners_of(const Polygons& buildings) {
    double all = 0, right = 0;
    for (const auto& building : buildings) {
        // Not the vertices within a wall, where the ground beside it changes.
        for (const double angle : angles(tidied(to_shape(building).outer, 0.01))) {
            ++all;
            right += std::abs(angle - 90) < 10 || std::abs(angle - 270) < 10 ? 1 : 0;
        }
    }
    return {right / all, all / static_cast<double>(buildings.size())};
}

inline Tracing tracing(double metres, Detail detail = Detail::regular) {
    Tracing t;
    t.tile_metres = metres;
    t.detail = detail;
    return t;
}

/// A tile that goes on beyond its borders as it reaches them.
inline TileInContext alone(const ClassRaster& tile) {
    return in_context({.side = tile.side}, 23, [&](PlaceInTile p) {
        return tile.classes[static_cast<std::size_t>(p.row * tile.side + p.column)];
    });
}

/// Of the pixels of a tile as they are.
inline Plan vectorized(const ClassRaster& raster, const Tracing& tracing) {
    const double pixel = tracing.tile_metres / raster.side;
    const double least = tracing.minimum_area / (pixel * pixel);
    return vectorize::vectorized(alone(sieved(raster, static_cast<int>(std::ceil(least)))),
                                 tracing);
}

}  // namespace civitas::vectorize::checks
