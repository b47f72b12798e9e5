#include "civitas/planner/recipe.hpp"

#include <algorithm>

namespace civitas::planner {

Recipe recipe_of(const Nets& nets) {
    constexpr std::int64_t large_pixels = 256;
    const bool large = nets.choice().task == TaskKind::gan && nets.pixels() >= large_pixels;
    return large ? Recipe{.micro_batch = 8, .rate = RateShape::constant} : Recipe{};
}

std::int64_t usual_micro_batch(const Nets& nets, std::int64_t batch) {
    return std::min(recipe_of(nets).micro_batch, batch);
}

RateShape rate_shape(RateShape asked, const Nets& nets) {
    return asked == RateShape::automatic ? recipe_of(nets).rate : asked;
}

}  // namespace civitas::planner
