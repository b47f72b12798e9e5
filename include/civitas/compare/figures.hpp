#pragma once
/// What a run's own files tell of it. Pure.
#include "civitas/compare/results.hpp"

#include <string>
#include <vector>

namespace civitas::compare {

/// How the steps of a run follow each other: one after the other, or each when it is ready, so that
/// only the times at which they end say how many are made in a second.
enum class Pace { one_by_one, by_themselves };

/// Reads metrics.jsonl. The first `warm_up` steps do not count. Throws Error for a text that has no
/// lines of steps beyond those.
[[nodiscard]] Round round_of(const std::string& metrics, std::int64_t warm_up, Pace pace);

/// Reads what a run's log tells at its end of the messages along its pipe, by how much went and how
/// long the receiver waited for it; none for a run without a pipe. This is the run's own measure of
/// every message, not of the steps that count alone.
[[nodiscard]] std::vector<Cut> cuts_of(const std::string& log);

/// Of models that were trained at the same time: speeds add up, times and shares are those of the
/// middle, losses those of the first, bytes the largest. Precondition: there are some.
[[nodiscard]] Round together(const std::vector<Round>& models);

}  // namespace civitas::compare
