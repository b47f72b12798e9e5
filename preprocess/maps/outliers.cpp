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

/// A square of ground, as wide as the largest building, in the map of one input. Of any number of
/// them, so that places are no integers.
struct Patch {
    std::size_t input = 0;
    double column = 0, row = 0;
    friend auto operator<=>(const Patch&, const Patch&) = default;
};

/// Shapes by the patch of their lower left corner; 0 where they only reach in.
using Patches = std::map<Patch, std::int64_t>;

Patch patch_at(std::size_t input, double x, double y) {
    return {input, std::floor(x / largest_building), std::floor(y / largest_building)};
}

std::size_t input_of(const Plan& plan, const ShapeView& shape) {
    return plan.tasks.at(shape.origin.task).dataset.input;
}

Patches patches_of(const comm::Communicator& ranks, const Plan& plan, const Shapes& mine) {
    Patches own, all;
    for (std::int64_t i = 0; i < mine.size(); ++i) {
        const auto shape = mine.at(i);
        if (longer_side(shape.box) > largest_building) continue;
        const auto& [min_x, min_y, max_x, max_y] = shape.box;
        const auto input = input_of(plan, shape);
        ++own[patch_at(input, min_x, min_y)];
        for (const auto x : {min_x, max_x})
            for (const auto y : {min_y, max_y}) own[patch_at(input, x, y)] += 0;
    }
    struct Count {
        Patch patch;
        std::int64_t shapes;
    };
    std::vector<Count> counts;
    for (const auto& [patch, shapes] : own) counts.push_back({patch, shapes});
    for (const auto& [patch, shapes] : ranks.all_gather(std::span<const Count>(counts)))
        all[patch] += shapes;
    return all;
}

/// Take a patch and those that it touches, and those that they touch, out of the others.
std::vector<Patches::value_type> take_group(Patches& others) {
    std::vector<Patches::value_type> group{*others.begin()};
    others.erase(others.begin());
    for (std::size_t i = 0; i < group.size(); ++i) {
        const auto [input, column, row] = group[i].first;
        for (const double x : {-1, 0, 1})
            for (const double y : {-1, 0, 1}) {
                const auto near = others.find({input, column + x, row + y});
                if (near == others.end()) continue;
                group.push_back(*near);
                others.erase(near);
            }
    }
    return group;
}

std::set<Patch> stray_patches(Patches patches) {
    std::map<std::size_t, std::int64_t> of_input;
    for (const auto& [patch, shapes] : patches) of_input[patch.input] += shapes;
    std::set<Patch> stray;
    while (!patches.empty()) {
        const auto group = take_group(patches);
        std::int64_t shapes = 0;
        for (const auto& part : group) shapes += part.second;
        const auto rest = of_input.at(group.front().first.input) - shapes;
        if (shapes > most_strays || rest < least_rest_of_a_stray * shapes) continue;
        for (const auto& part : group) stray.insert(part.first);
    }
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
                                            describe(plan.tasks.at(shape.origin.task)), " is ",
                                            *why));
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
        if (const auto& box = mine.at(i).box; longer_side(box) <= largest_building)
            own.include(box);
    for (const auto& box : ranks.all_gather(own)) all.include(box);
    return all.empty() ? 0 : longer_side(all);
}

}  // namespace

void leave_out_strays(const comm::Communicator& ranks, const Plan& plan, MapContent& content) {
    const auto stray = stray_patches(patches_of(ranks, plan, content.shapes));
    leave_out(plan, content, "features far from the rest of the map",
              [&](const ShapeView& shape) -> std::optional<std::string> {
                  const auto& box = shape.box;
                  if (longer_side(box) > largest_building ||
                      !stray.contains(patch_at(input_of(plan, shape), box.min_x, box.min_y)))
                      return std::nullopt;
                  return text("at (", std::fixed, std::setprecision(0), box.min_x, ", ", box.min_y,
                              "), more than ", largest_building / 1000,
                              " km from the rest of the map");
              });
}

void leave_out_giants(const comm::Communicator& ranks, const Plan& plan, MapContent& content) {
    const double rest = extent_of_the_rest(ranks, content.shapes);
    if (rest == 0) return;
    const double longest = std::max(least_giant, times_the_rest * rest);
    leave_out(plan, content, "areas absurdly larger than the rest of the map",
              [&](const ShapeView& shape) -> std::optional<std::string> {
                  const bool building = shape.value == LandClass::building;
                  const double side = longer_side(shape.box);
                  if (side <= (building ? std::min(longest, largest_building) : longest))
                      return std::nullopt;
                  return text(std::setprecision(3), side / 1000, " km long, the rest of the map ",
                              rest / 1000, " km");
              });
}

}  // namespace civitas::maps
