#pragma once
/// What an executor holds between two actions, and how much that is.
#include "courier.hpp"
#include "scales.hpp"

#include <functional>
#include <set>

namespace civitas::parallel {

struct Executor::Held {
    explicit Held(Pipeline pipeline) : courier(std::move(pipeline)) {}

    Courier courier;
    std::map<Action, nn::Stage::Kept> kept;
    std::map<Action, at::Tensor> inputs;  ///< of visits that will be recomputed
    std::map<Action, at::Tensor> judged;  ///< gradients of D's logits, by visit
    std::map<LocalMicroBatch, at::Tensor> fakes;
    std::set<Action> redrawn;     ///< visits of G whose activations are dropped after F
    std::set<Action> recomputed;  ///< visits of which only the input is kept
    std::int64_t peak_bytes = 0;
    KeptPeak peak_kept;

    /// The table's own peaks are known after its first run: it is the same every time.
    void begin(const std::vector<Action>& actions);
    void end(const std::vector<Action>& actions);
    /// Takes down what is held for this action, which has changed it, and whether it is the most.
    void weigh(const Action& action);
    /// As weigh(), but what is held is on its way out.
    void note(const Action& action);
    void clear();
    [[nodiscard]] nn::BetweenLayers polling() const;

private:
    template <class Map, class Key>
    void put_from(const Map& map, const Key& key, Role role, const Action& action);

    Scales scales_;
    std::vector<Action> weighed_;
    bool weighing_ = false;
};

}  // namespace civitas::parallel
