#include "held.hpp"

#include "schedule_actions.hpp"

#include <algorithm>
#include <unordered_set>

namespace civitas::parallel {
namespace {

/// Bytes that tensors hold, each storage once however many share it.
class Weighing {
public:
    void add(const at::Tensor& tensor) {
        if (!tensor.defined()) return;
        const c10::Storage& storage = tensor.storage();
        if (seen_.insert(storage.unsafeGetStorageImpl()).second)
            bytes_ += static_cast<std::int64_t>(storage.nbytes());
    }
    void add(const nn::Stage::Kept& kept) {
        for (const auto& saved : kept.saved) {
            for (const auto& tensor : saved.tensors) add(tensor);
            for (const auto& [mean_C, variance_C] : saved.statistics) add(mean_C), add(variance_C);
        }
        for (const auto& gy : kept.gys) add(gy);
    }
    template <class Map>
    void add_all(const Map& map) {
        for (const auto& entry : map) add(entry.second);
    }
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

private:
    std::unordered_set<const void*> seen_;
    std::int64_t bytes_ = 0;
};

}  // namespace

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
    Weighing scales;
    scales.add_all(kept);
    scales.add_all(inputs);
    scales.add_all(judged);
    scales.add_all(fakes);
    scales.add_all(courier.here());
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
