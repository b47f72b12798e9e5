#include "executor_state.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>

namespace civitas::parallel {

void Executor::State::begin(const std::vector<schedule::Action>& actions) {
    sampling_ = sampled_ != actions;
    for (const schedule::Action& action : actions) {
        if (action.kind == schedule::Kind::redraw) redrawn.insert(schedule::visit_of(action));
        if (action.kind == schedule::Kind::recompute) recomputed.insert(schedule::visit_of(action));
    }
}

void Executor::State::end(const std::vector<schedule::Action>& actions) { sampled_ = actions; }

void Executor::State::sample_peak(const schedule::Action& action) {
    if (!sampling_) return;
    note(action);
    peak_bytes = std::max(peak_bytes, scales_.bytes());
    for (std::size_t net = 0; net < peak_kept.size(); ++net)
        peak_kept[net] =
            std::max(peak_kept[net], scales_.kept(schedule::NetId{static_cast<int>(net)}));
}

// All that has changed is dropped before anything is put: what was freed in between may have made
// room at the same address.
void Executor::State::note(const schedule::Action& action) {
    if (!sampling_ || !schedule::of_visit(action.kind)) return;
    const schedule::Action visit = schedule::visit_of(action);
    const schedule::Action made = schedule::output_of(action);
    const auto used = schedule::producer_of_input(channel.graph(), action, channel.stages());
    const auto source = channel.graph()[action.pass].input_from;
    const schedule::Action output{.pass = source.value_or(schedule::PassId{}),
                                  .micro = action.micro};
    for (const Role role : {Role::kept, Role::input, Role::loss}) scales_.drop(role, visit);
    if (source) scales_.drop(Role::output, output);
    scales_.drop(Role::here, made);
    if (used) scales_.drop(Role::here, *used);
    put_from(kept, visit, Role::kept, visit);
    put_from(inputs, visit, Role::input, visit);
    put_from(loss_gradients, visit, Role::loss, visit);
    if (source) put_from(outputs, std::pair(*source, action.micro), Role::output, output);
    put_from(channel.here(), made, Role::here, made);
    if (used) put_from(channel.here(), *used, Role::here, *used);
}

template <class Map, class Key>
void Executor::State::put_from(const Map& map, const Key& key, Role role,
                               const schedule::Action& action) {
    const auto found = map.find(key);
    if (found != map.end()) scales_.put(role, action, storages_of(found->second));
}

void Executor::State::clear() {
    channel.clear();
    scales_.clear();
    kept.clear();
    inputs.clear();
    loss_gradients.clear();
    outputs.clear();
    redrawn.clear();
    recomputed.clear();
}

}  // namespace civitas::parallel
