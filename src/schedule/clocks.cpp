#include "clocks.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <utility>

namespace civitas::schedule {

Clocks::Clocks(const Schedule& schedule, StagePlacement placement, std::int64_t micro_batches,
               const Costs& costs)
    : graph_(schedule.graph),
      costs_(costs),
      placement_(std::move(placement)),
      free_(schedule.coordinates.size()),
      gathers_(schedule.coordinates.size()),
      sums_(schedule.coordinates.size()),
      last_micro_{micro_batches - 1} {}

double Clocks::free_for(const Action& action, PipeCoordinate coordinate) const {
    return gathers_.begin_of(action, coordinate, free_.at(static_cast<std::size_t>(coordinate)));
}

double Clocks::message_seconds(const Action& made) const {
    return costs_.latency_s +
           static_cast<double>(costs_.result_bytes(made)) / costs_.bytes_per_second;
}

double Clocks::perform(const Action& action, PipeCoordinate coordinate, double begin_s) {
    const double waited = action.kind == Kind::reduce ? sums_.end_of(action.net, coordinate) : 0;
    const double end = std::max(begin_s, waited) + seconds_of(action, coordinate);
    if (includes_W(action.kind) && (costs_.leaves_summed || action.micro == last_micro_))
        sums_.add(action, coordinate, end, costs_.of(action.net, action.stage).sums);
    if (action.kind == Kind::gather)
        gathers_.add(action, coordinate, end);
    else
        free_.at(static_cast<std::size_t>(coordinate)) = end;
    return end;
}

double Clocks::seconds_of(const Action& action, PipeCoordinate coordinate) const {
    if (of_whole_net(action.kind)) {
        double sum = 0;
        for (const StageId id : placement_.stages_of(action.net, coordinate)) {
            const StageCosts& stage = costs_.of(action.net, id);
            sum += action.kind == Kind::reduce ? stage.reduce_s : stage.step_s;
        }
        return sum;
    }
    const StageCosts& stage = costs_.of(action.net, action.stage);
    if (action.kind == Kind::gather) return stage.gather_s;
    if (is_forward(action.kind) || action.kind == Kind::recompute) return stage.forward_s;
    const double backward_input_s =
        stage.backward_input_s - (input_unwanted(graph_, action) ? stage.to_net_input_s : 0);
    return (includes_B(action.kind) ? backward_input_s : 0) +
           (includes_W(action.kind) ? stage.backward_weights_s : 0);
}

}  // namespace civitas::schedule
