#pragma once
/// Why the first candidate of a ranking is the strategy to take, in words.
#include "civitas/strategy/candidates.hpp"

#include <string>

namespace civitas::strategy {

/// A candidate in words: `data-parallel pipelines: 2 copies of 4 stages, channels of every layer
/// cut in 2, ...`.
[[nodiscard]] std::string strategy_of(const Candidate& candidate);

/// Says what memory and time speak for: what did not fit, how much longer the second takes, and
/// what it spends that on. Precondition: there is one candidate at least.
[[nodiscard]] std::string explain(const Ranking& ranking, const planner::CostModel& model);

}  // namespace civitas::strategy
