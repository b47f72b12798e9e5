#pragma once
/// When the actions of a table begin and end by given costs: the one definition that dry runs and
/// the simulator share. Seconds since the step began.
#include "gathered_stages.hpp"
#include "sum_times.hpp"

#include "civitas/schedule/simulator.hpp"

#include <vector>

namespace civitas::schedule {

class Clocks {
public:
    /// Schedule and costs must outlive the clocks.
    Clocks(const Schedule& schedule, StagePlacement placement, std::int64_t micro_batches,
           const Costs& costs);

    /// When a coordinate has come to an action and has the weights that it reads.
    [[nodiscard]] double free_for(const Action& action, PipeCoordinate coordinate) const;
    /// How long what an F, redraw or B has made takes to another coordinate.
    [[nodiscard]] double message_seconds(const Action& made) const;
    /// Does an action of which all that it needs is there at `begin_s`. Returns its end.
    double perform(const Action& action, PipeCoordinate coordinate, double begin_s);

private:
    [[nodiscard]] double seconds_of(const Action& action, PipeCoordinate coordinate) const;

    const StepGraph& graph_;
    const Costs& costs_;
    StagePlacement placement_;
    std::vector<double> free_;  ///< by coordinate
    GatherTimes gathers_;
    SumTimes sums_;
    LocalMicroBatch last_micro_;
};

}  // namespace civitas::schedule
