#include "sum_times.hpp"

#include <algorithm>

namespace civitas::schedule {

SumCosts sum_costs(std::span<const LayerWork> layers) {
    SumCosts costs;
    double in_W_s = 0, in_BW_s = 0;                        // computed so far
    double summed_behind_W_s = 0, summed_behind_BW_s = 0;  // when the sums so far are done
    for (std::size_t i = layers.size(); i-- > 0;) {
        const LayerWork& layer = layers[i];
        in_W_s += layer.backward_weights_s;
        in_BW_s += layer.backward_input_s + layer.backward_weights_s;
        if (layer.sum_s == 0) continue;
        costs.seconds += layer.sum_s;
        summed_behind_W_s = std::max(summed_behind_W_s, in_W_s) + layer.sum_s;
        summed_behind_BW_s = std::max(summed_behind_BW_s, in_BW_s) + layer.sum_s;
    }
    costs.left_after_W_s = std::max(0.0, summed_behind_W_s - in_W_s);
    costs.left_after_BW_s = std::max(0.0, summed_behind_BW_s - in_BW_s);
    return costs;
}

/// Whatever the link did before, its last sum ends after what is left of these alone, and after all
/// of them behind those before.
void SumTimes::add(const Action& made, PipeCoordinate coordinate, double end_s,
                   const SumCosts& costs) {
    if (costs.seconds == 0) return;
    double& free_s = free_.at(static_cast<std::size_t>(coordinate));
    const double left_s = made.kind == Kind::W ? costs.left_after_W_s : costs.left_after_BW_s;
    free_s = std::max(end_s + left_s, free_s + costs.seconds);
    last_[{made.net, coordinate}] = free_s;
}

double SumTimes::end_of(NetId net, PipeCoordinate coordinate) const {
    const auto last = last_.find({net, coordinate});
    return last == last_.end() ? 0 : last->second;
}

}  // namespace civitas::schedule
