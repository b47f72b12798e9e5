#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {
namespace {

std::optional<Action> maker_for_forward(const Action& a, int stages) {
    if (a.stage > 0) return at_stage(a, a.stage - 1);
    if (!is_generator(a) && a.pass == Pass::fake)
        return Action{NetId::generator, stages - 1, Pass::generate, Kind::F, a.micro};
    return std::nullopt;
}

std::optional<Action> maker_for_backward(const Action& a, int stages) {
    if (a.stage + 1 < stages) return at_stage(with(a, Kind::B), a.stage + 1);
    if (is_generator(a)) return Action{NetId::discriminator, 0, Pass::generate, Kind::B, a.micro};
    return std::nullopt;
}

}  // namespace

Action made_by(const Action& action) {
    return action.kind == Kind::BW ? with(action, Kind::B) : action;
}

std::optional<Action> maker_of_input(const Action& action, int stages) {
    switch (action.kind) {
        case Kind::F:
        case Kind::redraw: return maker_for_forward(action, stages);
        case Kind::B:
        case Kind::BW: return maker_for_backward(action, stages);
        default: return std::nullopt;
    }
}

}  // namespace civitas::schedule
