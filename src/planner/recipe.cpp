#include "civitas/planner/recipe.hpp"

#include <algorithm>

namespace civitas::planner {

Recipe recipe_of(const Nets& nets) {
    constexpr std::int64_t large_pixels = 256;
    const bool large = nets.choice().task == TaskKind::gan && nets.pixels() >= large_pixels;
    return large ? Recipe{.micro_batch = 8, .rate = RateShape::constant} : Recipe{};
}

std::int64_t usual_micro_batch(const Problem& problem) {
    return std::min(recipe_of(problem.nets).micro_batch, problem.batch);
}

}  // namespace civitas::planner
