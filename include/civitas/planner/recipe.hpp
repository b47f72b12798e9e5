#pragma once
/// What nets learn by where nothing else is said.
#include "civitas/planner/options.hpp"

namespace civitas::planner {

/// By what nets have learnt best (see src/quality/README.md).
struct Recipe {
    std::int64_t micro_batch = 4;
    RateShape rate = RateShape::automatic;
};
[[nodiscard]] Recipe recipe_of(const Nets& nets);

/// Tiles of a micro-batch, or all of a smaller batch.
[[nodiscard]] std::int64_t usual_micro_batch(const Nets& nets, std::int64_t batch);
/// The shape, or in the place of `automatic` that of the recipe.
[[nodiscard]] RateShape rate_shape(RateShape asked, const Nets& nets);

}  // namespace civitas::planner
