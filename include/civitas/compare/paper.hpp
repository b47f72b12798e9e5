#pragma once
/// What the planner says of a strategy: whether it fits, and what a step of it takes. Pure.
#include "civitas/base/error.hpp"
#include "civitas/compare/strategies.hpp"
#include "civitas/planner/step_plan.hpp"

#include <optional>
#include <string>

namespace civitas::compare {

/// A job on paper.
struct PaperJob {
    planner::MachineModel machine;
    NodeMap nodes;  ///< of all ranks
};

/// The ranks 0 to a count, without that.
[[nodiscard]] std::vector<Rank> first_ranks(int count);

/// A strategy's costs on a job's machine, with times of layers by estimate. Of ranks that work by
/// themselves those of one of them, which has its part of a node. `c`: as applied() makes it.
/// Throws UsageError for a tensor axis that cannot be.
[[nodiscard]] planner::CostModel estimate_of(const Strategy& strategy,
                                             const planner::Configuration& c, const PaperJob& job);

/// A step on paper.
struct Predicted {
    double seconds = 0;  ///< of a step; where ranks make steps side by side, until one more is made
    double tiles_per_second = 0;                  ///< of all ranks
    std::int64_t bytes = 0;                       ///< of the rank that needs most
    double waiting = 0;                           ///< share of the step: the bubble of a pipe
    std::vector<schedule::CutTraffic> cuts = {};  ///< of one pipe
};

/// What came of planning.
struct OnPaper {
    std::optional<Predicted> predicted = {};  ///< none: it does not fit, or nobody can say
    std::string why_not = {};                 ///< it does not fit; nothing where it does
    std::string hint = {};                    ///< what may be done about that
};

/// Plans a strategy's step. `model`: estimate_of() the strategy, or the same with measured times.
[[nodiscard]] OnPaper on_paper(const Strategy& strategy, const planner::Configuration& c,
                               const planner::CostModel& model);

/// An error's message without its hint: what the reason in a table is.
[[nodiscard]] std::string without_hint(const std::string& message);
/// The hint of it; nothing where it has none.
[[nodiscard]] std::string hint_of(const std::string& message);
/// The reason that an error gives.
[[nodiscard]] OnPaper refused_by(const UsageError& error);

}  // namespace civitas::compare
