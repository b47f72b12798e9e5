#include "dependencies.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace civitas::schedule {

Dependencies::Dependencies(const Schedule& schedule, StageCounts stages, std::int64_t micro_batches)
    : graph_(schedule.graph),
      placement_(placement_of(schedule)),
      stages_(std::move(stages)),
      micro_batches_(micro_batches),
      again_(schedule.graph) {
    for (const auto& actions : schedule.coordinates)
        for (const Action& a : actions)
            if (a.kind == Kind::redraw || a.kind == Kind::recompute) again_.add({a});
}

std::vector<Completion> Dependencies::of(const Action& action, PipeCoordinate coordinate) const {
    std::vector<Completion> needs;
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
        case Kind::gather:
        case Kind::release: break;
        case Kind::reduce: add_reduce(action, coordinate, needs); break;
        case Kind::step: needs.push_back({with(action, Kind::reduce), coordinate}); break;
    }
    return needs;
}

Completion Dependencies::made(const Action& action) const {
    constexpr PipeCoordinate nowhere{-1};
    return {action, placement_.find(action.net, action.stage).value_or(nowhere)};
}

bool Dependencies::has(const Action& action, Kind kind) const {
    return again_.contains({with(action, kind)});
}

void Dependencies::add_forward(const Action& a, PipeCoordinate coordinate,
                               std::vector<Completion>& needs) const {
    const Pass& pass = graph_[a.pass];
    if (const auto producer = producer_of_input(graph_, a, stages_))
        needs.push_back(made(*producer));
    if (pass.after_update)
        needs.push_back({{.net = *pass.after_update, .kind = Kind::step}, coordinate});
    if (a.stage > first_stage || !pass.input_from) return;
    // Consumers of one output take it in turn: the first gets it, the last lets it go.
    for (int i = index(a.pass); i-- > 0;)
        if (graph_[PassId{i}].input_from == pass.input_from)
            return needs.push_back(made(in_pass(graph_, PassId{i}, first_stage, a)));
}

void Dependencies::add_again(const Action& a, std::vector<Completion>& needs) const {
    needs.push_back(made(visit_of(a)));
    if (a.kind == Kind::redraw && a.stage > first_stage)
        needs.push_back(made(at_stage(a, previous(a.stage))));
    if (a.kind == Kind::recompute && has(a, Kind::redraw))
        needs.push_back(made(with(a, Kind::redraw)));
}

void Dependencies::add_backward(const Action& a, std::vector<Completion>& needs) const {
    needs.push_back(made(visit_of(a)));
    for (const Kind kind : {Kind::redraw, Kind::recompute})
        if (has(a, kind)) needs.push_back(made(with(a, kind)));
    if (const auto producer = producer_of_input(graph_, with(a, Kind::B), stages_))
        needs.push_back(made(*producer));
}

// W ascends within a pass, and the passes of a net follow each other: the order of the sums.
void Dependencies::add_weights(const Action& a, std::vector<Completion>& needs) const {
    if (index(a.micro) > 0) {
        Action before = with(a, Kind::W);
        before.micro = LocalMicroBatch{index(a.micro) - 1};
        needs.push_back(made(before));
        return;
    }
    const auto trained = graph_.trained_by(a.net);
    const auto here = std::find(trained.begin(), trained.end(), a.pass);
    if (here != trained.begin() && here != trained.end())
        needs.push_back(made(last_weights(a.net, a.stage, *std::prev(here))));
}

Action Dependencies::last_weights(NetId net, StageId stage, PassId pass) const {
    return {net, stage, pass, Kind::W, LocalMicroBatch{micro_batches_ - 1}};
}

void Dependencies::add_reduce(const Action& a, PipeCoordinate coordinate,
                              std::vector<Completion>& needs) const {
    const PassId last = graph_.trained_by(a.net).back();
    for (const StageId stage : placement_.stages_of(a.net, coordinate))
        needs.push_back(made(last_weights(a.net, stage, last)));
}

}  // namespace civitas::schedule
