#pragma once
/// What a run's own files tell of it. Pure.
#include "civitas/compare/results.hpp"

#include <string>
#include <vector>

namespace civitas::compare {

/// Reads metrics.jsonl, whoever made the steps: all ranks together, each by itself, or by parts.
/// The first `warm_up` steps do not count. Throws Error for a text that has no lines of steps
/// beyond those.
[[nodiscard]] Round round_of(const std::string& metrics, std::int64_t warm_up);

/// Of models that were trained at the same time: speeds add up, times and shares are those of the
/// middle, losses those of the first, bytes the largest. Precondition: there are some.
[[nodiscard]] Round together(const std::vector<Round>& models);

}  // namespace civitas::compare
