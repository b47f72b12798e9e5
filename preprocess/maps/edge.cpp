#include "edge.hpp"

#include <ogr_geometry.h>
#include <algorithm>
#include <memory>

namespace civitas::maps {
namespace {

constexpr std::size_t points_before_hull = 1 << 20;

bool turns_left(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}

/// Append one side of the hull of sorted points.
template <class Points>
void add_chain(const Points& points, std::vector<Point>& hull) {
    const auto begin = hull.size();
    for (const auto& p : points) {
        while (hull.size() >= begin + 2 && !turns_left(hull[hull.size() - 2], hull.back(), p))
            hull.pop_back();
        hull.push_back(p);
    }
    if (!hull.empty()) hull.pop_back();
}

using Hull = std::vector<Point>;

std::size_t inputs_of(const Plan& plan) {
    std::size_t last = 0;
    for (const auto& task : plan.tasks) last = std::max(last, task.dataset.input);
    return last + 1;
}

/// The hulls of one rank's buildings and roads, by input.
std::vector<Hull> own_hulls(const Plan& plan, const Shapes& mine) {
    std::vector<Hull> all(inputs_of(plan));
    for (std::int64_t i = 0; i < mine.size(); ++i) {
        const auto shape = mine.at(i);
        if (shape.value == LandClass::other) continue;
        auto& points = all.at(plan.tasks.at(shape.origin.task).dataset.input);
        points.insert(points.end(), shape.points.begin(), shape.points.end());
        if (points.size() > points_before_hull) points = convex_hull(std::move(points));
    }
    for (auto& points : all) points = convex_hull(std::move(points));
    return all;
}

std::unique_ptr<OGRGeometry> geometry_of(const Hull& hull) {
    OGRMultiPoint points;
    for (const auto& p : hull) {
        const OGRPoint point(p.x, p.y);
        points.addGeometry(&point);
    }
    return std::unique_ptr<OGRGeometry>(points.ConvexHull());
}

struct Ground {
    explicit Ground(Hull around) : hull(std::move(around)), geometry(geometry_of(hull)) {
        geometry->getEnvelope(&box);
    }
    Hull hull;
    std::unique_ptr<OGRGeometry> geometry;
    OGREnvelope box;
};

bool are_near(const Ground& a, const Ground& b, double metres) {
    const double apart = std::max({a.box.MinX - b.box.MaxX, b.box.MinX - a.box.MaxX,
                                   a.box.MinY - b.box.MaxY, b.box.MinY - a.box.MaxY});
    return apart <= metres && a.geometry->Distance(b.geometry.get()) <= metres;
}

/// Those that lie no further from each other than that are one: sheets of one map know the ground
/// between them.
std::vector<Hull> joined(std::vector<Hull> hulls, double metres) {
    std::erase_if(hulls, [](const Hull& hull) { return hull.empty(); });
    std::vector<Ground> apart;
    while (!hulls.empty()) {
        Ground next(std::move(hulls.back()));
        hulls.pop_back();
        const auto near = std::find_if(apart.begin(), apart.end(), [&](const Ground& other) {
            return are_near(next, other, metres);
        });
        if (near == apart.end()) {
            apart.push_back(std::move(next));
            continue;
        }
        next.hull.insert(next.hull.end(), near->hull.begin(), near->hull.end());
        hulls.push_back(convex_hull(std::move(next.hull)));
        apart.erase(near);
    }
    for (auto& ground : apart) hulls.push_back(std::move(ground.hull));
    return hulls;
}

}  // namespace

EdgeOf edge_of(const Settings& settings, const Plan& plan, const std::vector<TaskCount>& counts) {
    if (!settings.outline.empty()) return EdgeOf::outline;
    bool all_land_cover = true;
    std::int64_t other = 0;
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
        all_land_cover = all_land_cover && plan.tasks[i].reading == Reading::land_cover;
        other += counts[i].other;
    }
    return all_land_cover && other > 0 ? EdgeOf::land_cover : EdgeOf::hull;
}

std::string name_of(EdgeOf edge) {
    switch (edge) {
        case EdgeOf::outline: return "the outline given";
        case EdgeOf::land_cover: return "the end of its land cover";
        case EdgeOf::hull: return "the convex hull of its buildings and roads";
    }
    return "";
}

std::vector<Point> convex_hull(std::vector<Point> points) {
    std::sort(points.begin(), points.end(),
              [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::vector<Point> hull;
    add_chain(points, hull);
    std::reverse(points.begin(), points.end());
    add_chain(points, hull);
    return hull;
}

void add_hulls(const comm::Communicator& ranks, const Plan& plan, double metres, Shapes& mine) {
    std::vector<Hull> hulls;
    for (const auto& own : own_hulls(plan, mine))
        hulls.push_back(convex_hull(ranks.all_gather(std::span<const Point>(own))));
    if (!ranks.is_root()) return;
    for (const auto& hull : joined(std::move(hulls), metres)) {
        if (hull.size() < 3) continue;
        mine.begin(LandClass::other, {});
        mine.add_ring(hull);
    }
}

}  // namespace civitas::maps
