#include "dependencies.hpp"

#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {

Needs::Needs(const Schedule& schedule, int stages, std::int64_t micro_batches)
    : placement_(placement_of(schedule)), stages_(stages), micro_batches_(micro_batches) {
    for (const auto& actions : schedule.coordinates)
        for (const Action& a : actions)
            if (a.kind == Kind::redraw || a.kind == Kind::recompute) again_.add({a});
}

std::vector<Fact> Needs::of(const Action& action, int coordinate) const {
    std::vector<Fact> needs;
    switch (action.kind) {
        case Kind::F: add_forward(action, coordinate, needs); break;
        case Kind::redraw:
        case Kind::recompute: add_again(action, needs); break;
        case Kind::B: add_backward(action, needs); break;
        case Kind::W:
            needs.push_back(made(with(action, Kind::B)));
            add_weights(action, needs);
            break;
        case Kind::BW:
            add_backward(action, needs);
            add_weights(action, needs);
            break;
        case Kind::reduce: add_reduce(action, coordinate, needs); break;
        case Kind::step: needs.push_back({with(action, Kind::reduce), coordinate}); break;
    }
    return needs;
}

Fact Needs::made(const Action& action) const {
    constexpr int nowhere = -1;
    return {action, placement_.find(action.net, action.stage).value_or(nowhere)};
}

bool Needs::has(const Action& action, Kind kind) const {
    return again_.contains({with(action, kind)});
}

void Needs::add_forward(const Action& a, int coordinate, std::vector<Fact>& needs) const {
    if (a.stage > 0) {
        needs.push_back(made(at_stage(a, a.stage - 1)));
    } else if (a.pass == Pass::fake) {
        needs.push_back(made({NetId::generator, stages_ - 1, Pass::generate, Kind::F, a.micro}));
    }
    if (!passes_through(a)) return;
    needs.push_back({{.net = NetId::discriminator, .kind = Kind::step}, coordinate});
    if (a.stage == 0)  // the fake is kept there since D's update
        needs.push_back(made({NetId::discriminator, 0, Pass::fake, Kind::F, a.micro}));
}

void Needs::add_again(const Action& a, std::vector<Fact>& needs) const {
    needs.push_back(made(visit_of(a)));
    if (a.kind == Kind::redraw && a.stage > 0) needs.push_back(made(at_stage(a, a.stage - 1)));
    if (a.kind == Kind::recompute && has(a, Kind::redraw))
        needs.push_back(made(with(a, Kind::redraw)));
}

void Needs::add_backward(const Action& a, std::vector<Fact>& needs) const {
    needs.push_back(made(visit_of(a)));
    for (const Kind kind : {Kind::redraw, Kind::recompute})
        if (has(a, kind)) needs.push_back(made(with(a, kind)));
    if (a.stage + 1 < stages_) {
        needs.push_back(made(at_stage(with(a, Kind::B), a.stage + 1)));
    } else if (is_generator(a)) {
        needs.push_back(made({NetId::discriminator, 0, Pass::generate, Kind::B, a.micro}));
    }
}

/// W ascends within a pass, and D's real ones precede its fake ones: the order of the sums.
void Needs::add_weights(const Action& a, std::vector<Fact>& needs) const {
    Action before = with(a, Kind::W);
    if (index(a.micro) > 0) {
        before.micro = LocalMicroBatch{index(a.micro) - 1};
        needs.push_back(made(before));
    } else if (a.pass == Pass::fake) {
        before.pass = Pass::real;
        before.micro = LocalMicroBatch{micro_batches_ - 1};
        needs.push_back(made(before));
    }
}

void Needs::add_reduce(const Action& a, int coordinate, std::vector<Fact>& needs) const {
    const Pass last = is_generator(a) ? Pass::generate : Pass::fake;
    for (const int stage : placement_.stages_of(a.net, coordinate))
        needs.push_back(made({a.net, stage, last, Kind::W, LocalMicroBatch{micro_batches_ - 1}}));
}

}  // namespace civitas::schedule
