#pragma once
/// What an action needs before it can run: the one definition that the check, the simulator and the
/// merging of tables share.
#include "completions.hpp"

#include <vector>

namespace civitas::schedule {

class Dependencies {
public:
    Dependencies(const Schedule& schedule, StageCounts stages, std::int64_t micro_batches);

    /// Completions whose results the action uses, or that keep the order of sums.
    [[nodiscard]] std::vector<Completion> of(const Action& action, PipeCoordinate coordinate) const;

private:
    [[nodiscard]] Completion made(const Action& action) const;
    [[nodiscard]] bool has(const Action& action, Kind kind) const;
    void add_forward(const Action& a, PipeCoordinate coordinate,
                     std::vector<Completion>& needs) const;
    void add_again(const Action& a, std::vector<Completion>& needs) const;
    void add_backward(const Action& a, std::vector<Completion>& needs) const;
    void add_weights(const Action& a, std::vector<Completion>& needs) const;
    [[nodiscard]] Action last_weights(NetId net, StageId stage, PassId pass) const;
    void add_reduce(const Action& a, PipeCoordinate coordinate,
                    std::vector<Completion>& needs) const;

    const StepGraph& graph_;
    StagePlacement placement_;
    StageCounts stages_;
    std::int64_t micro_batches_ = 0;
    Completions again_;  ///< every redraw and recompute of the table
};

}  // namespace civitas::schedule
