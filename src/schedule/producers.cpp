#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {
namespace {

std::optional<Action> producer_for_forward(const StepGraph& graph, const Action& a,
                                           const StageCounts& stages) {
    if (a.stage > first_stage) return at_stage(a, previous(a.stage));
    const auto source = graph[a.pass].input_from;
    if (!source || graph.first_consumer(*source) != a.pass) return std::nullopt;
    return at_end_of(graph, stages, *source, with(a, Kind::F));
}

std::optional<Action> producer_for_backward(const StepGraph& graph, const Action& a,
                                            const StageCounts& stages) {
    if (a.stage < stages.last_of(a.net)) return at_stage(with(a, Kind::B), next(a.stage));
    const auto source = graph[a.pass].gradient_from;
    if (!source) return std::nullopt;
    return in_pass(graph, *source, first_stage, with(a, Kind::B));
}

}  // namespace

Action output_of(const Action& action) {
    return action.kind == Kind::BW ? with(action, Kind::B) : action;
}

std::optional<Action> producer_of_input(const StepGraph& graph, const Action& action,
                                        const StageCounts& stages) {
    switch (action.kind) {
        case Kind::F:
        case Kind::redraw: return producer_for_forward(graph, action, stages);
        case Kind::B:
        case Kind::BW: return producer_for_backward(graph, action, stages);
        default: return std::nullopt;
    }
}

}  // namespace civitas::schedule
