#pragma once
/// Numbers that tell the messages of a step apart.
#include <cstdint>

namespace civitas::schedule {

/// Stages of a net at most: the number of one fits into a tag.
inline constexpr int most_stages = 64;
/// Passes of a step at most: the number of one fits into a tag.
inline constexpr int most_passes = 6;
/// Kinds of results of a stage and a micro-batch that travel: F, redraw and B of each pass.
inline constexpr int kinds_of_results = 3 * most_passes;

/// Tags of a step are below this. `micro_batches`: of a rank.
[[nodiscard]] constexpr std::int64_t tags_of(std::int64_t micro_batches) {
    return micro_batches * most_stages * kinds_of_results;
}

}  // namespace civitas::schedule
