#include "executor_state.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>

namespace civitas::parallel {

void Executor::State::begin(const std::vector<schedule::Action>& actions) {
    weighing_ = weighed_ != actions;
    for (const schedule::Action& action : actions) {
        if (action.kind == schedule::Kind::redraw) redrawn.insert(schedule::visit_of(action));
        if (action.kind == schedule::Kind::recompute) recomputed.insert(schedule::visit_of(action));
    }
}

void Executor::State::end(const std::vector<schedule::Action>& actions) { weighed_ = actions; }

void Executor::State::weigh(const schedule::Action& action) {
    if (!weighing_) return;
    note(action);
    peak_bytes = std::max(peak_bytes, scales_.bytes());
    peak_kept.generator = std::max(peak_kept.generator, scales_.kept(schedule::NetId::generator));
    peak_kept.discriminator =
        std::max(peak_kept.discriminator, scales_.kept(schedule::NetId::discriminator));
}

// All that has changed is dropped before anything is put: what was freed in between may have made
// room at the same address.
void Executor::State::note(const schedule::Action& action) {
    if (!weighing_ || schedule::of_whole_net(action.kind)) return;
    const schedule::Action visit = schedule::visit_of(action);
    const schedule::Action made = schedule::made_by(action);
    const auto used = schedule::maker_of_input(action, channel.stages());
    for (const Role role : {Role::kept, Role::input, Role::judged}) scales_.drop(role, visit);
    scales_.drop(Role::fake, {.micro = action.micro});
    scales_.drop(Role::here, made);
    if (used) scales_.drop(Role::here, *used);
    put_from(kept, visit, Role::kept, visit);
    put_from(inputs, visit, Role::input, visit);
    put_from(judged, visit, Role::judged, visit);
    put_from(fakes, action.micro, Role::fake, {.micro = action.micro});
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
    judged.clear();
    fakes.clear();
    redrawn.clear();
    recomputed.clear();
}

nn::BetweenLayers Executor::State::polling() const {
    return [this] { channel.poll(); };
}

}  // namespace civitas::parallel
