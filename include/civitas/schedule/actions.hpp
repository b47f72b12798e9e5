#pragma once
/// Small questions about actions that everything about schedules asks.
#include "civitas/schedule/schedule.hpp"

#include <set>

namespace civitas::schedule {

inline bool of_whole_net(Kind kind) { return kind == Kind::reduce || kind == Kind::step; }
inline bool of_weights(Kind kind) { return kind == Kind::gather || kind == Kind::release; }
/// Whether a micro-batch visits a stage in it.
inline bool of_visit(Kind kind) { return !of_whole_net(kind) && !of_weights(kind); }
/// Whether the stage's weights are read: W takes activations and gradients alone.
inline bool reads_weights(Kind kind) { return of_visit(kind) && kind != Kind::W; }
inline bool is_forward(Kind kind) { return kind == Kind::F || kind == Kind::redraw; }
inline bool includes_B(Kind kind) { return kind == Kind::B || kind == Kind::BW; }
inline bool includes_W(Kind kind) { return kind == Kind::W || kind == Kind::BW; }

/// Whether B leaves out the gradient of its input: in the first stage, unless another pass wants
/// it.
inline bool input_unwanted(const StepGraph& graph, const Action& a) {
    return a.stage == first_stage && !graph.gradient_to(a.pass);
}

inline Action with(Action action, Kind kind) {
    action.kind = kind;
    return action;
}
inline Action at_stage(Action action, StageId stage) {
    action.stage = stage;
    return action;
}
/// Names a micro-batch's visit of a stage: its F.
inline Action visit_of(const Action& action) { return with(action, Kind::F); }
/// The visits of a list that have an action of a kind: `redraw`, `recompute`.
[[nodiscard]] std::set<Action> visits_with(Kind kind, const std::vector<Action>& actions);

/// How often a step runs each kind of action in one stage of a net: redrawing and recomputing are
/// forward.
struct ActionCounts {
    double forward = 0;
    double backward_input = 0;
    double backward_weights = 0;
};
/// `stages`: of the net.
[[nodiscard]] ActionCounts action_counts(const Schedule& schedule, NetId net, int stages);

}  // namespace civitas::schedule
