#include "civitas/tasks/rank_inputs.hpp"

#include <algorithm>

namespace civitas::tasks {

RankInputs::RankInputs(const std::vector<at::Device>& devices, const ReplicaParts& parts)
    : parts_(parts) {
    for (auto device = devices.begin(); device != devices.end(); ++device) {
        const auto first = std::find(devices.begin(), device, *device);
        if (first == device) places_.push_back(std::make_unique<StepInputs>(*device));
        of_replica_.push_back(first == device
                                  ? places_.back().get()
                                  : of_replica_[static_cast<std::size_t>(first - devices.begin())]);
    }
}

void RankInputs::put_draws(const std::map<Visit, at::Tensor>& drawn) {
    std::map<StepInputs*, std::map<Visit, at::Tensor>> by_place;
    for (const auto& [visit, numbers] : drawn) by_place[&of(visit.second)][visit] = numbers;
    for (const auto& [place, numbers] : by_place) place->put_draws(numbers);
}

}  // namespace civitas::tasks
