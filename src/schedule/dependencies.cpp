#include "dependencies.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace civitas::schedule {
namespace {

/// The F of another pass that takes an output before this one does: consumers of one output take
/// it in turn, the first gets it, the last lets it go.
std::optional<Action> consumer_before(const StepGraph& graph, const Action& f) {
    const auto source = graph[f.pass].input_from;
    if (f.stage > first_stage || !source) return std::nullopt;
    for (int i = index(f.pass); i-- > 0;)
        if (graph[PassId{i}].input_from == source)
            return Action{graph[PassId{i}].net, first_stage, PassId{i}, Kind::F, f.micro};
    return std::nullopt;
}

}  // namespace

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

std::vector<Completion> Dependencies::of(const Action& a, PipeCoordinate coordinate) const {
    std::vector<Completion> needs;
    const auto need = [&](const std::optional<Action>& visit) {
        constexpr PipeCoordinate nowhere{-1};
        if (visit)
            needs.push_back({*visit, placement_.find(visit->net, visit->stage).value_or(nowhere)});
    };
    if (of_weights(a.kind)) return {};
    if (a.kind == Kind::step) return {{with(a, Kind::reduce), coordinate}};
    if (a.kind == Kind::reduce) {
        for (const StageId stage : placement_.stages_of(a.net, coordinate))
            need(last_weights(a.net, stage, graph_.trained_by(a.net).back()));
        return needs;
    }
    if (a.kind == Kind::W) {
        need(with(a, Kind::B));
    } else if (a.kind != Kind::F) {
        need(visit_of(a));
        for (const Kind again : {Kind::redraw, Kind::recompute}) {
            if (again == a.kind) break;
            if (again_.contains({with(a, again)})) need(with(a, again));
        }
    }
    need(producer_of_input(graph_, a, stages_));
    if (includes_W(a.kind)) need(weights_before(a));
    if (a.kind == Kind::F) {
        if (const auto updated = graph_[a.pass].after_update)
            needs.push_back({{.net = *updated, .kind = Kind::step}, coordinate});
        need(consumer_before(graph_, a));
    }
    return needs;
}

// They ascend within a pass, and the passes of a net follow each other.
std::optional<Action> Dependencies::weights_before(const Action& w) const {
    if (index(w.micro) > 0) return Action{w.net, w.stage, w.pass, Kind::W, previous(w.micro)};
    const auto trained = graph_.trained_by(w.net);
    const auto here = std::find(trained.begin(), trained.end(), w.pass);
    if (here == trained.begin() || here == trained.end()) return std::nullopt;
    return last_weights(w.net, w.stage, *std::prev(here));
}

Action Dependencies::last_weights(NetId net, StageId stage, PassId pass) const {
    return {net, stage, pass, Kind::W, LocalMicroBatch{micro_batches_ - 1}};
}

}  // namespace civitas::schedule
