#include "civitas/schedule/actions.hpp"

#include "civitas/base/error.hpp"

namespace civitas::schedule {

StagePlacement::StagePlacement(int coordinates) : coordinates_(coordinates) {}

void StagePlacement::place(NetId net, int stage, int coordinate) {
    homes_.try_emplace({net, stage}, coordinate);
}

int StagePlacement::coordinates() const { return coordinates_; }

std::optional<int> StagePlacement::find(NetId net, int stage) const {
    const auto home = homes_.find({net, stage});
    if (home == homes_.end()) return std::nullopt;
    return home->second;
}

int StagePlacement::coordinate_of(NetId net, int stage) const {
    const auto home = find(net, stage);
    ensure(home.has_value(), "a checked schedule names every stage");
    return *home;
}

std::vector<int> StagePlacement::stages_of(NetId net, int coordinate) const {
    std::vector<int> stages;
    for (const auto& [stage, home] : homes_)
        if (stage.first == net && home == coordinate) stages.push_back(stage.second);
    return stages;
}

StagePlacement placement_of(const Schedule& schedule) {
    StagePlacement placement(static_cast<int>(schedule.coordinates.size()));
    for (int c = 0; c < placement.coordinates(); ++c)
        for (const Action& action : schedule.coordinates[static_cast<std::size_t>(c)])
            if (!of_whole_net(action.kind)) placement.place(action.net, action.stage, c);
    return placement;
}

}  // namespace civitas::schedule
