#pragma once
/// Sums over replicas that go on behind the backward pass, on paper.
#include <span>

namespace civitas::schedule {

/// Seconds that one layer of a stage computes in B and in W, and that the link takes for the sum
/// that begins when its W ends; 0: none does.
struct LayerWork {
    double backward_input_s = 0;
    double backward_weights_s = 0;
    double sum_s = 0;
};

/// Sums of what one W of a stage makes.
struct SumCosts {
    double seconds = 0;  ///< of the link
    /// Seconds of them that are left when W, or B and W in one, has ended, with a link that had
    /// nothing else to do.
    double left_after_W_s = 0;
    double left_after_BW_s = 0;
};
/// `layers`: in the order of F. B and W go from the last to the first; sums follow each other.
[[nodiscard]] SumCosts sum_costs(std::span<const LayerWork> layers);

}  // namespace civitas::schedule
