#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {
namespace {

/// The action in the stage before: of its own net or, before the first, the last of another pass.
std::optional<Action> one_before(const StepGraph& graph, const StageCounts& stages, const Action& a,
                                 std::optional<PassId> pass_before) {
    if (a.stage > first_stage) return at_stage(a, previous(a.stage));
    if (!pass_before) return std::nullopt;
    const NetId net = graph[*pass_before].net;
    return Action{net, stages.last_of(net), *pass_before, a.kind, a.micro};
}

/// The action in the stage behind: of its own net or, behind the last, the first of another pass.
std::optional<Action> one_behind(const StepGraph& graph, const StageCounts& stages, const Action& a,
                                 std::optional<PassId> pass_behind) {
    if (a.stage < stages.last_of(a.net)) return at_stage(a, next(a.stage));
    if (!pass_behind) return std::nullopt;
    return Action{graph[*pass_behind].net, first_stage, *pass_behind, a.kind, a.micro};
}

}  // namespace

Action output_of(const Action& action) {
    return action.kind == Kind::BW ? with(action, Kind::B) : action;
}

std::set<Action> visits_with(Kind kind, const std::vector<Action>& actions) {
    std::set<Action> visits;
    for (const Action& a : actions)
        if (a.kind == kind) visits.insert(visit_of(a));
    return visits;
}

ActionCounts action_counts(const Schedule& schedule, NetId net, int stages) {
    ActionCounts all;
    for (const auto& actions : schedule.coordinates)
        for (const Action& a : actions) {
            if (a.net != net) continue;
            if (is_forward(a.kind) || a.kind == Kind::recompute) ++all.forward;
            if (includes_B(a.kind)) ++all.backward_input;
            if (includes_W(a.kind)) ++all.backward_weights;
        }
    return {all.forward / stages, all.backward_input / stages, all.backward_weights / stages};
}

std::optional<Action> producer_of_input(const StepGraph& graph, const Action& action,
                                        const StageCounts& stages) {
    if (is_forward(action.kind)) {
        const auto source = graph[action.pass].input_from;
        const bool is_first = source && graph.first_consumer(*source) == action.pass;
        return one_before(graph, stages, action, is_first ? source : std::nullopt);
    }
    if (!includes_B(action.kind)) return std::nullopt;
    return one_behind(graph, stages, output_of(action), graph[action.pass].gradient_from);
}

std::optional<Action> consumer_of_output(const StepGraph& graph, const Action& action,
                                         const StageCounts& stages) {
    if (is_forward(action.kind)) {
        const bool again = action.kind == Kind::redraw;  // who takes the outputs has them
        return one_behind(graph, stages, action,
                          again ? std::nullopt : graph.first_consumer(action.pass));
    }
    if (!includes_B(action.kind)) return std::nullopt;
    return one_before(graph, stages, output_of(action), graph.gradient_to(action.pass));
}

}  // namespace civitas::schedule
