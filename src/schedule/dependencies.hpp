#pragma once
/// What an action needs before it can run: the one definition that the check, the simulator, the
/// merging of tables and the order of messages share.
#include "completions.hpp"

#include <vector>

namespace civitas::schedule {

class Dependencies {
public:
    Dependencies(const Schedule& schedule, StageCounts stages, std::int64_t micro_batches);

    /// Completions whose results the action uses, or that keep the order of sums.
    [[nodiscard]] std::vector<Completion> of(const Action& action, PipeCoordinate coordinate) const;

private:
    /// The W before this one, in the order of the sums.
    [[nodiscard]] std::optional<Action> weights_before(const Action& w) const;
    [[nodiscard]] Action last_weights(NetId net, StageId stage, PassId pass) const;

    const StepGraph& graph_;
    StagePlacement placement_;
    StageCounts stages_;
    std::int64_t micro_batches_ = 0;
    Completions again_;  ///< every redraw and recompute of the table
};

/// Goes down the lists of all coordinates in turns, each as far as it goes: perform(action,
/// coordinate) is false while the action must wait. Returns how many actions of each were done.
template <class Perform>
std::vector<std::size_t> run(const Schedule& schedule, Perform perform) {
    std::vector<std::size_t> at(schedule.coordinates.size());
    for (bool moved = true; moved;) {
        moved = false;
        for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(at))) {
            std::size_t& i = at[static_cast<std::size_t>(c)];
            for (; i < schedule[c].size() && perform(schedule[c][i], c); ++i) moved = true;
        }
    }
    return at;
}

}  // namespace civitas::schedule
