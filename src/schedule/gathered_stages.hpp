#pragma once
/// Whose weights are gathered while a coordinate's list runs, and when.
#include "civitas/schedule/simulator.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// Most bytes of weights that a coordinate has gathered at once.
[[nodiscard]] std::int64_t gathered_peak(const Schedule& schedule, PipeCoordinate coordinate,
                                         const Costs& costs);

/// When weights are there, in a run on paper. Seconds since the step began.
class GatherTimes {
public:
    explicit GatherTimes(std::size_t coordinates) : last_(coordinates) {}

    /// When an action can begin on a coordinate that is free from `free_s` on: gathers follow each
    /// other, and who reads weights, or releases them, waits for theirs.
    [[nodiscard]] double begin_of(const Action& action, PipeCoordinate coordinate,
                                  double free_s) const;
    /// Takes down the end of a gather.
    void add(const Action& gather, PipeCoordinate coordinate, double end_s);

private:
    std::vector<double> last_;  ///< by coordinate: all gathers so far are done
    std::map<std::pair<NetId, StageId>, double> gathered_;
};

}  // namespace civitas::schedule
