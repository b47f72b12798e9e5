#pragma once
/// One update of weights by stochastic gradient descent with momentum (Sutskever et al. 2013, as
/// torch.optim.SGD writes it), with what follows the weights: see adam.hpp.
#include "civitas/updates/gradient_sum.hpp"
#include "civitas/updates/update_arrays.hpp"

namespace civitas::updates {

struct SgdFactors {
    double learning_rate;
    double momentum = 0;      ///< of a first moment that is defined
    double weight_decay = 0;  ///< times the weights, added to the gradient
    double mean_decay = 0;    ///< mean = mean_decay mean + (1 - mean_decay) weights
};

/// By at::_fused_sgd_ and two more calls. The first moment is undefined without momentum; zeros in
/// it make the first update of torch.optim.SGD.
void sgd_by_aten(const UpdateArrays& arrays, const SgdFactors& factors);
/// By one loop where the arrays are fp32 and on a CPU: see adam().
void sgd(const UpdateArrays& arrays, const SgdFactors& factors);

/// The same update by the sum of terms: see adam_of_sum().
std::optional<std::int64_t> sgd_of_sum_by_aten(const UpdateArrays& arrays,
                                               const GradientTerms& terms,
                                               const SgdFactors& factors);
std::optional<std::int64_t> sgd_of_sum(const UpdateArrays& arrays, const GradientTerms& terms,
                                       const SgdFactors& factors);

}  // namespace civitas::updates
