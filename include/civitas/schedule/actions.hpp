#pragma once
/// Small questions about actions that everything about schedules asks.
#include "civitas/schedule/schedule.hpp"

namespace civitas::schedule {

inline bool of_whole_net(Kind kind) { return kind == Kind::reduce || kind == Kind::step; }
inline bool is_generator(const Action& a) { return a.net == NetId::generator; }
inline bool is_forward(Kind kind) { return kind == Kind::F || kind == Kind::redraw; }
inline bool includes_B(Kind kind) { return kind == Kind::B || kind == Kind::BW; }
inline bool includes_W(Kind kind) { return kind == Kind::W || kind == Kind::BW; }
/// D's visit in G's update: a gradient passes through, no leaf is made.
inline bool passes_through(const Action& a) { return !is_generator(a) && a.pass == Pass::generate; }

/// B leaves out the gradient of a net's input, but where D passes it on to G.
inline bool input_unwanted(const Action& a) { return a.stage == 0 && !passes_through(a); }

inline Action with(Action action, Kind kind) {
    action.kind = kind;
    return action;
}
inline Action at_stage(Action action, int stage) {
    action.stage = stage;
    return action;
}
/// Names a micro-batch's visit of a stage: its F.
inline Action visit_of(const Action& action) { return with(action, Kind::F); }

}  // namespace civitas::schedule
