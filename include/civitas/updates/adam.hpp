#pragma once
/// One update of weights by Adam (Kingma & Ba 2015, arXiv 1412.6980), with the running mean of the
/// weights and their copy in bf16: all in one pass over memory, or by calls of ATen.
#include "civitas/updates/gradient_sum.hpp"
#include "civitas/updates/update_arrays.hpp"

namespace civitas::updates {

struct AdamFactors {
    double learning_rate, beta1, beta2, epsilon;
    double weight_decay = 0;  ///< times the weights, added to the gradient
    double mean_decay = 0;    ///< mean = mean_decay mean + (1 - mean_decay) weights
    std::int64_t steps = 1;   ///< from 1, this one counted
};

/// By at::_fused_adam_ and two more calls.
void adam_by_aten(const UpdateArrays& arrays, const AdamFactors& factors);

/// In one pass where the arrays are fp32, by a loop on a CPU and a kernel on a GPU; else as
/// adam_by_aten. The bits of an element depend on nothing but its own numbers, and on which of the
/// two it was.
void adam(const UpdateArrays& arrays, const AdamFactors& factors);

/// The same update by the sum of terms. The gradient of `arrays` is room for that sum, which the
/// loop of our own does not need. Returns the first element whose sum is not finite: the update is
/// of no use then.
std::optional<std::int64_t> adam_of_sum_by_aten(const UpdateArrays& arrays,
                                                const GradientTerms& terms,
                                                const AdamFactors& factors);
std::optional<std::int64_t> adam_of_sum(const UpdateArrays& arrays, const GradientTerms& terms,
                                        const AdamFactors& factors);

}  // namespace civitas::updates
