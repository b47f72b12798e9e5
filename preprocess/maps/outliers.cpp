#include "outliers.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <optional>
#include <set>

namespace civitas::maps {
namespace {

constexpr double largest_building = 10e3, least_giant = 50e3;
constexpr double times_the_rest = 5;
constexpr std::int64_t most_strays = 10, least_rest_of_a_stray = 99;

double longer_side(const Box& box) {
    return std::max(box.max_x - box.min_x, box.max_y - box.min_y);
}

/// A square of ground, as wide as the largest building. Of any number of them, so that places are
/// no integers.
struct Patch {
    double column = 0, row = 0;
    friend auto operator<=>(const Patch&, const Patch&) = default;
};

Patch patch_at(double x, double y) {
    return {std::floor(x / largest_building), std::floor(y / largest_building)};
}

/// Of a point that it surely has: a corner of its box may lie far from it.
Patch patch_of(const ShapeView& shape) {
    const auto& [x, y] = shape.points.front();
    return patch_at(x, y);
}

using ShapesOfInputs = std::map<std::size_t, std::int64_t>;
/// Shapes by the patch of their first point; none where they only reach in.
using Patches = std::map<Patch, ShapesOfInputs>;

const Task& task_of(const Plan& plan, const ShapeView& shape) {
    return plan.tasks.at(shape.origin.task);
}

/// Those that a line goes through, a corner more or less.
void add_patches(Point from, Point to, Patches& patches) {
    constexpr double most_patches = 1e4;
    const double apart = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
    const double steps = std::min(std::ceil(apart / largest_building) + 1, most_patches);
    for (double i = 0; i <= steps; ++i)
        patches[patch_at(from.x + (to.x - from.x) * i / steps,
                         from.y + (to.y - from.y) * i / steps)];
}

Patches patches_of(const comm::Communicator& ranks, const Plan& plan, const Shapes& mine) {
    Patches own, all;
    for (std::int64_t i = 0; i < mine.size(); ++i) {
        const auto shape = mine.at(i);
        ++own[patch_of(shape)][task_of(plan, shape).dataset.input];
        const auto last = patch_at(shape.box().max_x, shape.box().max_y);
        if (last == patch_at(shape.box().min_x, shape.box().min_y)) continue;
        for (std::size_t ring = 0; ring < shape.rings(); ++ring) {
            const auto points = shape.ring(ring);
            for (std::size_t k = 0; k < points.size(); ++k)
                add_patches(points[k], points[(k + 1) % points.size()], own);
        }
    }
    struct Count {
        Patch patch;
        std::size_t input;
        std::int64_t shapes;
    };
    std::vector<Count> counts;
    for (const auto& [patch, inputs] : own) {
        counts.push_back({patch, 0, 0});
        for (const auto& [input, shapes] : inputs) counts.push_back({patch, input, shapes});
    }
    for (const auto& [patch, input, shapes] : ranks.all_gather(std::span<const Count>(counts)))
        all[patch][input] += shapes;
    return all;
}

void add(ShapesOfInputs& sum, const ShapesOfInputs& more) {
    for (const auto& [input, shapes] : more) sum[input] += shapes;
}

struct Group {
    std::vector<Patch> patches;
    ShapesOfInputs shapes;
};

/// Take a patch and those that it touches, and those that they touch, out of the others.
Group take_group(Patches& others) {
    Group group{{others.begin()->first}, others.begin()->second};
    others.erase(others.begin());
    for (std::size_t i = 0; i < group.patches.size(); ++i) {
        const auto [column, row] = group.patches[i];
        for (const double x : {-1, 0, 1})
            for (const double y : {-1, 0, 1}) {
                const auto near = others.find({column + x, row + y});
                if (near == others.end()) continue;
                group.patches.push_back(near->first);
                add(group.shapes, near->second);
                others.erase(near);
            }
    }
    return group;
}

std::int64_t all_of(const ShapesOfInputs& shapes) {
    std::int64_t sum = 0;
    for (const auto& [input, count] : shapes) sum += count;
    return sum;
}

/// Small groups are stray where those of their inputs are few together.
std::set<Patch> stray_patches(Patches patches) {
    std::vector<Group> small;
    ShapesOfInputs rest, in_small;
    while (!patches.empty()) {
        auto group = take_group(patches);
        const bool is_small = all_of(group.shapes) <= most_strays;
        add(is_small ? in_small : rest, group.shapes);
        if (is_small) small.push_back(std::move(group));
    }
    std::set<Patch> stray;
    for (const auto& group : small)
        if (std::all_of(group.shapes.begin(), group.shapes.end(), [&](const auto& of_input) {
                return of_input.second == 0 ||
                       rest[of_input.first] >= least_rest_of_a_stray * in_small[of_input.first];
            }))
            stray.insert(group.patches.begin(), group.patches.end());
    return stray;
}

/// Keep the shapes for which there are no words of why not; count and name the others.
void leave_out(const Plan& plan, MapContent& content, const std::string& reason,
               const std::function<std::optional<std::string>(const ShapeView&)>& why_not) {
    constexpr std::size_t most_told = 3;
    std::vector<std::int64_t> gone;
    for (std::int64_t i = 0; i < content.shapes.size(); ++i) {
        const auto shape = content.shapes.at(i);
        const auto why = why_not(shape);
        if (!why) continue;
        gone.push_back(i);
        if (gone.size() <= most_told)
            content.warnings.push_back(text("left out: feature ", shape.origin.feature, " of ",
                                            describe(task_of(plan, shape)), " is ", *why));
    }
    if (gone.empty()) return;
    content.left_out[reason] += std::ssize(gone);
    Shapes kept;
    for (std::int64_t i = 0; i < content.shapes.size(); ++i)
        if (!std::binary_search(gone.begin(), gone.end(), i)) kept.append(content.shapes.at(i));
    content.shapes = std::move(kept);
}

/// The longer side of the ground on which all shapes of less than the largest building lie.
double extent_of_the_rest(const comm::Communicator& ranks, const Shapes& mine) {
    Box own, all;
    for (std::int64_t i = 0; i < mine.size(); ++i)
        if (const auto& box = mine.at(i).box(); longer_side(box) <= largest_building)
            own.include(box);
    for (const auto& box : ranks.all_gather(own)) all.include(box);
    return all.empty() ? 0 : longer_side(all);
}

/// A vertex far away makes an edge that is nearly all of it; a road that leads there has others on
/// its way.
bool is_long_road(const ShapeView& shape) {
    if (shape.value != LandClass::road) return false;
    const double longest = longer_side(shape.box()) / 2;
    for (std::size_t r = 0; r < shape.rings(); ++r) {
        const auto ring = shape.ring(r);
        for (std::size_t k = 0; k < ring.size(); ++k) {
            const auto &a = ring[k], &b = ring[(k + 1) % ring.size()];
            if (std::hypot(b.x - a.x, b.y - a.y) > longest) return false;
        }
    }
    return true;
}

}  // namespace

void leave_out_strays(const comm::Communicator& ranks, const Plan& plan, MapContent& content) {
    const auto stray = stray_patches(patches_of(ranks, plan, content.shapes));
    leave_out(plan, content, "features far from the rest of the map",
              [&](const ShapeView& shape) -> std::optional<std::string> {
                  if (!stray.contains(patch_of(shape))) return std::nullopt;
                  const auto& [x, y] = shape.points.front();
                  return text("at (", std::fixed, std::setprecision(0), x, ", ", y, "), more than ",
                              largest_building / 1000, " km from the rest of the map");
              });
}

void leave_out_giants(const comm::Communicator& ranks, const Plan& plan, MapContent& content) {
    const double rest = extent_of_the_rest(ranks, content.shapes);
    if (rest == 0) return;
    const double longest = std::max(least_giant, times_the_rest * rest);
    leave_out(plan, content, "areas absurdly larger than the rest of the map",
              [&](const ShapeView& shape) -> std::optional<std::string> {
                  // What the user says is the edge may be larger than what lies in it.
                  if (task_of(plan, shape).reading == Reading::outline) return std::nullopt;
                  const bool building = shape.value == LandClass::building;
                  const double side = longer_side(shape.box());
                  if (side <= (building ? std::min(longest, largest_building) : longest) ||
                      is_long_road(shape))
                      return std::nullopt;
                  return text(std::setprecision(3), side / 1000, " km long, the rest of the map ",
                              rest / 1000, " km");
              });
}

}  // namespace civitas::maps
