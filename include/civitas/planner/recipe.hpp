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

/// A micro-batch that nobody has said.
inline constexpr std::int64_t micro_batch_unsaid = 0;
/// Tiles of the micro-batch that it then is: of the recipe, or all of a smaller batch.
[[nodiscard]] std::int64_t usual_micro_batch(const Problem& problem);

}  // namespace civitas::planner
