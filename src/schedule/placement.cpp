#include "civitas/schedule/actions.hpp"

#include "civitas/base/error.hpp"

namespace civitas::schedule {

StagePlacement::StagePlacement(int coordinates) : coordinates_(coordinates) {}

void StagePlacement::place(NetId net, StageId stage, PipeCoordinate coordinate) {
    homes_.try_emplace({net, stage}, coordinate);
}

int StagePlacement::coordinates() const { return coordinates_; }

std::optional<PipeCoordinate> StagePlacement::find(NetId net, StageId stage) const {
    const auto home = homes_.find({net, stage});
    if (home == homes_.end()) return std::nullopt;
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
        for (const Action& action : schedule[c])
            if (of_visit(action.kind)) placement.place(action.net, action.stage, c);
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
