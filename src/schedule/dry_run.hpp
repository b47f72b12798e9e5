#pragma once
/// A table run without a machine, in any order that what its actions wait for allows.
#include "clocks.hpp"
#include "dependencies.hpp"

#include <optional>
#include <vector>

namespace civitas::schedule {

class DryRun {
public:
    DryRun(const Schedule& schedule, std::int64_t micro_batches, const Costs& costs);

    /// The first thing the action needs that is not done.
    [[nodiscard]] std::optional<Completion> unmet(const Action& action,
                                                  PipeCoordinate coordinate) const;
    /// When the action can begin; nothing while a dependency is unmet.
    [[nodiscard]] std::optional<double> begin_of(const Action& action,
                                                 PipeCoordinate coordinate) const;
    /// False while a dependency is unmet.
    bool perform(const Action& action, PipeCoordinate coordinate);

private:
    Dependencies dependencies_;
    Completions done_;
    Clocks clocks_;
    std::vector<double> ends_;  ///< in the order in which actions were performed
};

}  // namespace civitas::schedule
