#include "dry_run.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>

namespace civitas::schedule {

Paper::Paper(const Schedule& schedule, std::int64_t micro_batches, const Costs& costs)
    : costs_(costs),
      placement_(placement_of(schedule)),
      needs_(schedule, static_cast<int>(costs.generator.size()), micro_batches),
      free_(schedule.coordinates.size()) {}

std::optional<Fact> Paper::obstacle(const Action& action, int coordinate) const {
    for (const Fact& fact : needs_.of(action, coordinate))
        if (!done_.contains(fact)) return fact;
    return std::nullopt;
}

std::optional<double> Paper::begin_of(const Action& action, int coordinate) const {
    double begin = free_.at(static_cast<std::size_t>(coordinate));
    for (const Fact& fact : needs_.of(action, coordinate)) {
        const auto done = done_.find(fact);
        if (!done) return std::nullopt;
        begin = std::max(begin, arrival(fact, *done, coordinate));
    }
    return begin;
}

bool Paper::perform(const Action& action, int coordinate) {
    const auto begin = begin_of(action, coordinate);
    if (!begin) return false;
    const double end = *begin + seconds_of(action, coordinate);
    for (const Fact& fact : facts_of(action, coordinate)) done_.add(fact, end);
    free_.at(static_cast<std::size_t>(coordinate)) = end;
    spans_.push_back({coordinate, action, *begin, end});
    return true;
}

double Paper::seconds_of(const Action& action, int coordinate) const {
    if (of_whole_net(action.kind)) {
        double sum = 0;
        for (const int stage : placement_.stages_of(action.net, coordinate)) {
            const StageCosts& stage_costs = costs_.of(action.net, stage);
            sum += action.kind == Kind::reduce ? stage_costs.reduce_s : stage_costs.step_s;
        }
        return sum;
    }
    const StageCosts& stage = costs_.of(action.net, action.stage);
    if (is_forward(action.kind) || action.kind == Kind::recompute) return stage.forward_s;
    const double backward_input_s =
        stage.backward_input_s - (input_unwanted(action) ? stage.to_net_input_s : 0);
    return (includes_B(action.kind) ? backward_input_s : 0) +
           (includes_W(action.kind) ? stage.backward_weights_s : 0);
}

/// What F and redraw make goes to the stage after, what B makes to the stage before.
double Paper::arrival(const Fact& fact, double done, int coordinate) const {
    if (fact.coordinate == coordinate) return done;
    const StageCosts& stage = costs_.of(fact.action.net, fact.action.stage);
    const auto bytes = is_forward(fact.action.kind) ? stage.output_bytes : stage.input_bytes;
    return done + costs_.latency_s + static_cast<double>(bytes) / costs_.bytes_per_second;
}

std::vector<std::size_t> run(const Schedule& schedule, Paper& paper) {
    std::vector<std::size_t> at(schedule.coordinates.size());
    const auto advance = [&](std::size_t c) {
        const auto& actions = schedule.coordinates[c];
        const std::size_t from = at[c];
        const int coordinate = static_cast<int>(c);
        while (at[c] < actions.size() && paper.perform(actions[at[c]], coordinate)) ++at[c];
        return at[c] != from;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t c = 0; c < at.size(); ++c) moved = advance(c) || moved;
    }
    return at;
}

}  // namespace civitas::schedule
