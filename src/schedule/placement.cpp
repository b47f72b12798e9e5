#include "civitas/schedule/actions.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <utility>

namespace civitas::schedule {
namespace {

template <class Homes>
auto lower_bound(Homes& homes, std::pair<NetId, StageId> stage) {
    return std::lower_bound(homes.begin(), homes.end(), stage,
                            [](const auto& home, const auto& key) { return home.first < key; });
}

void place_stages(StagePlacement& placement, const std::vector<Action>& actions,
                  PipeCoordinate coordinate) {
    for (const Action& action : actions)
        if (of_visit(action.kind)) placement.place(action.net, action.stage, coordinate);
}

}  // namespace

StagePlacement::StagePlacement(int coordinates) : coordinates_(coordinates) {}

void StagePlacement::place(NetId net, StageId stage, PipeCoordinate coordinate) {
    const auto at = lower_bound(homes_, {net, stage});
    if (at == homes_.end() || at->first != std::pair(net, stage))
        homes_.insert(at, {{net, stage}, coordinate});
}

int StagePlacement::coordinates() const { return coordinates_; }

std::optional<PipeCoordinate> StagePlacement::find(NetId net, StageId stage) const {
    const auto home = lower_bound(homes_, {net, stage});
    if (home == homes_.end() || home->first != std::pair(net, stage)) return std::nullopt;
    return home->second;
}

PipeCoordinate StagePlacement::coordinate_of(NetId net, StageId stage) const {
    const auto home = find(net, stage);
    ensure(home.has_value(), "a checked schedule names every stage");
    return *home;
}

std::vector<StageId> StagePlacement::stages_of(NetId net, PipeCoordinate coordinate) const {
    std::vector<StageId> stages;
    for (const auto& [stage, home] : homes_)
        if (stage.first == net && home == coordinate) stages.push_back(stage.second);
    return stages;
}

StagePlacement placement_of(const Schedule& schedule) {
    StagePlacement placement(static_cast<int>(schedule.coordinates.size()));
    for (const PipeCoordinate c : each<PipeCoordinate>(placement.coordinates()))
        place_stages(placement, schedule[c], c);
    return placement;
}

StagePlacement placement_of(const Schedule& schedule, PipeCoordinate coordinate) {
    StagePlacement placement(static_cast<int>(schedule.coordinates.size()));
    place_stages(placement, schedule[coordinate], coordinate);
    return placement;
}

StageCounts stages_in(const StagePlacement& placement, const StepGraph& graph) {
    StageCounts counts{std::vector(graph.nets.size(), 0)};
    for (const NetId net : graph.net_ids())
        for (const PipeCoordinate c : each<PipeCoordinate>(placement.coordinates()))
            counts.nets[static_cast<std::size_t>(net)] +=
                static_cast<int>(placement.stages_of(net, c).size());
    return counts;
}

}  // namespace civitas::schedule
