#include "dry_run.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>

namespace civitas::schedule {

DryRun::DryRun(const Schedule& schedule, std::int64_t micro_batches, const Costs& costs)
    : graph_(schedule.graph),
      costs_(costs),
      placement_(placement_of(schedule)),
      dependencies_(schedule, costs.stages(), micro_batches),
      done_(schedule.graph),
      free_(schedule.coordinates.size()),
      gathers_(schedule.coordinates.size()),
      sums_(schedule.coordinates.size()),
      last_micro_{micro_batches - 1} {}

std::optional<Completion> DryRun::unmet(const Action& action, PipeCoordinate coordinate) const {
    for (const Completion& completion : dependencies_.of(action, coordinate))
        if (!done_.contains(completion)) return completion;
    return std::nullopt;
}

std::optional<double> DryRun::begin_of(const Action& action, PipeCoordinate coordinate) const {
    double begin =
        gathers_.begin_of(action, coordinate, free_.at(static_cast<std::size_t>(coordinate)));
    for (const Completion& completion : dependencies_.of(action, coordinate)) {
        const auto done = done_.find(completion);
        if (!done) return std::nullopt;
        begin = std::max(begin, arrival(completion, *done, coordinate));
    }
    return begin;
}

bool DryRun::perform(const Action& action, PipeCoordinate coordinate) {
    const auto begin = begin_of(action, coordinate);
    if (!begin) return false;
    const double waited = action.kind == Kind::reduce ? sums_.end_of(action.net, coordinate) : 0;
    const double end = std::max(*begin, waited) + seconds_of(action, coordinate);
    if (includes_W(action.kind) && (costs_.leaves_summed || action.micro == last_micro_))
        sums_.add(action, coordinate, end, costs_.of(action.net, action.stage).sums);
    for (const Completion& completion : completions_of(action, coordinate))
        done_.add(completion, end);
    if (action.kind == Kind::gather)
        gathers_.add(action, coordinate, end);
    else
        free_.at(static_cast<std::size_t>(coordinate)) = end;
    spans_.push_back({coordinate, action, *begin, end});
    return true;
}

double DryRun::seconds_of(const Action& action, PipeCoordinate coordinate) const {
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

double DryRun::arrival(const Completion& completion, double done, PipeCoordinate coordinate) const {
    if (completion.coordinate == coordinate) return done;
    return done + costs_.latency_s +
           static_cast<double>(costs_.result_bytes(completion.action)) / costs_.bytes_per_second;
}

std::vector<std::size_t> run(const Schedule& schedule, DryRun& dry_run) {
    std::vector<std::size_t> at(schedule.coordinates.size());
    for (bool moved = true; moved;) {
        moved = false;
        for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(at))) {
            std::size_t& i = at[static_cast<std::size_t>(c)];
            for (; i < schedule[c].size() && dry_run.perform(schedule[c][i], c); ++i) moved = true;
        }
    }
    return at;
}

}  // namespace civitas::schedule
