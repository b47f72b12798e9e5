#pragma once
/// Whose weights are gathered while a coordinate's list runs.
#include "civitas/schedule/schedule.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace civitas::schedule {

class GatheredStages {
public:
    explicit GatheredStages(const StepGraph& graph) : graph_(graph) {}

    /// Does an action; or says why it cannot be done now.
    [[nodiscard]] std::optional<std::string> perform(const Action& action);
    /// The release of something that is still gathered.
    [[nodiscard]] std::optional<Action> missing_release() const;

private:
    const StepGraph& graph_;
    std::set<std::pair<NetId, StageId>> here_;
};

}  // namespace civitas::schedule
