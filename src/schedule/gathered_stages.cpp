#include "gathered_stages.hpp"

#include "civitas/base/places.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/traffic.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

Action of_stage(Kind kind, const std::pair<NetId, StageId>& stage) {
    return {.net = stage.first, .stage = stage.second, .kind = kind};
}

}  // namespace

std::optional<std::string> GatheredStages::perform(const Action& a) {
    const std::pair stage(a.net, a.stage);
    const auto must_come_first = [&](const Action& missing) {
        return to_string(graph_, missing) + " must come first";
    };
    if (a.kind == Kind::gather) {
        if (!here_.insert(stage).second) return "its weights are here already";
    } else if (a.kind == Kind::release) {
        if (here_.erase(stage) == 0) return must_come_first(of_stage(Kind::gather, stage));
    } else if (reads_weights(a.kind)) {
        if (!here_.contains(stage)) return must_come_first(of_stage(Kind::gather, stage));
    } else if (a.kind == Kind::step) {
        const auto old = here_.lower_bound({a.net, first_stage});
        if (old != here_.end() && old->first == a.net)
            return must_come_first(of_stage(Kind::release, *old));
    }
    return std::nullopt;
}

std::optional<Action> GatheredStages::missing_release() const {
    if (here_.empty()) return std::nullopt;
    return of_stage(Kind::release, *here_.begin());
}

std::int64_t gathered_peak(const Schedule& schedule, PipeCoordinate coordinate,
                           const Costs& costs) {
    std::int64_t now = 0;
    std::int64_t peak = 0;
    for (const Action& a : schedule[coordinate]) {
        if (!of_weights(a.kind)) continue;
        now += (a.kind == Kind::gather ? 1 : -1) * costs.of(a.net, a.stage).gathered_bytes;
        peak = std::max(peak, now);
    }
    return peak;
}

std::int64_t gather_room(const Schedule& schedule, PipeCoordinate coordinate, const Costs& costs) {
    std::map<std::pair<NetId, StageId>, std::size_t> numbers;
    std::vector<PlaceUse> uses;
    for (const Action& a : schedule[coordinate]) {
        if (!of_weights(a.kind) || costs.of(a.net, a.stage).gathered_bytes == 0) continue;
        const std::size_t who =
            numbers.emplace(std::pair(a.net, a.stage), numbers.size()).first->second;
        uses.push_back({who, costs.of(a.net, a.stage).gathered_bytes, a.kind == Kind::gather});
    }
    return room_of(uses);
}

double GatherTimes::begin_of(const Action& a, PipeCoordinate coordinate, double free_s) const {
    if (a.kind == Kind::gather)
        return std::max(free_s, last_.at(static_cast<std::size_t>(coordinate)));
    if (a.kind != Kind::release && !reads_weights(a.kind)) return free_s;
    const auto gathered = gathered_.find({a.net, a.stage});
    return gathered == gathered_.end() ? free_s : std::max(free_s, gathered->second);
}

void GatherTimes::add(const Action& gather, PipeCoordinate coordinate, double end_s) {
    last_.at(static_cast<std::size_t>(coordinate)) = end_s;
    gathered_[{gather.net, gather.stage}] = end_s;
}

}  // namespace civitas::schedule
