#include "held_tensors.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::parallel {

void HeldTensors::clear() {
    tensors_.clear();
    for (KeptVisits& visits : kept_) visits.clear();
    scales_.clear();
}

void HeldTensors::put(Role role, const schedule::Action& action, at::Tensor tensor) {
    if (sampling_) scales_.put(role, action, storages_of(tensor));
    tensors_[{role, action}] = std::move(tensor);
}

at::Tensor HeldTensors::get(Role role, const schedule::Action& action) const {
    const auto found = tensors_.find({role, action});
    ensure(found != tensors_.end(), "a checked schedule makes every tensor before it is used");
    return found->second;
}

at::Tensor HeldTensors::take(Role role, const schedule::Action& action) {
    at::Tensor tensor = get(role, action);
    tensors_.erase({role, action});
    scales_.drop(role, action);
    return tensor;
}

// What is freed while it changes may make room at the same address for what is put: until then it
// is not on the scales.
nn::Stage::Context& HeldTensors::kept(const schedule::Action& visit) {
    scales_.drop(Role::kept, visit);
    return kept_of(visit.net)[visit];
}

void HeldTensors::forget(const schedule::Action& visit) {
    scales_.drop(Role::kept, visit);
    kept_of(visit.net).erase(visit);
}

void HeldTensors::sample_peak(const schedule::Action& visit) {
    for (std::size_t net = 0; net < kept_.size(); ++net)
        peak_kept_[net] = std::max<std::int64_t>(peak_kept_[net], std::ssize(kept_[net]));
    if (!sampling_) return;
    const KeptVisits& visits = kept_of(visit.net);
    if (const auto found = visits.find(visit); found != visits.end())
        scales_.put(Role::kept, visit, storages_of(found->second));
    peak_bytes_ = std::max(peak_bytes_, scales_.bytes());
}

}  // namespace civitas::parallel
