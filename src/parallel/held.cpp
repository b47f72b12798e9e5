#include "held.hpp"

#include "schedule_actions.hpp"

#include <algorithm>

namespace civitas::parallel {

void Executor::Held::begin(const std::vector<Action>& actions) {
    weighing_ = weighed_ != actions;
    for (const Action& action : actions) {
        if (action.kind == Kind::redraw) redrawn.insert(visit_of(action));
        if (action.kind == Kind::recompute) recomputed.insert(visit_of(action));
    }
}

void Executor::Held::end(const std::vector<Action>& actions) { weighed_ = actions; }

void Executor::Held::weigh() {
    if (!weighing_) return;
    nn::StorageBytes scales;
    for (const auto& entry : kept) entry.second.add_to(scales);
    const auto add_all = [&scales](const auto& tensors) {
        for (const auto& entry : tensors) scales.add(entry.second);
    };
    add_all(inputs);
    add_all(judged);
    add_all(fakes);
    add_all(courier.here());
    peak_bytes = std::max(peak_bytes, scales.bytes());
    const auto generators = std::count_if(kept.begin(), kept.end(), [](const auto& entry) {
        return entry.first.net == Net::generator;
    });
    peak_kept.generator = std::max(peak_kept.generator, std::int64_t{generators});
    peak_kept.discriminator =
        std::max(peak_kept.discriminator, static_cast<std::int64_t>(kept.size()) - generators);
}

void Executor::Held::clear() {
    courier.clear();
    kept.clear();
    inputs.clear();
    judged.clear();
    fakes.clear();
    redrawn.clear();
    recomputed.clear();
}

nn::BetweenLayers Executor::Held::polling() const {
    return [this] { courier.poll(); };
}

}  // namespace civitas::parallel
