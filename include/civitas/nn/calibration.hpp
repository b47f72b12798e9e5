#pragma once
/// Running statistics for weights that never made a step themselves, such as a mean of weights:
/// those that their own micro-batches have (Izmailov et al., arXiv 1803.05407, section 3.2;
/// torch.optim.swa_utils.update_bn).
#include "civitas/nn/layer.hpp"

namespace civitas::nn {

/// The mean over micro-batches of the statistics of a stage's batch norms.
class Calibration {
public:
    /// F of training of one micro-batch x, as Stage::forward(); nothing is kept but statistics.
    [[nodiscard]] at::Tensor forward(const Stage& stage, at::Tensor x);
    /// Overwrites running statistics, in the order of the layers' buffers: mean and variance of the
    /// first batch norm, then of the next. Precondition: a micro-batch has been seen, and these are
    /// the stage's.
    void store(std::span<const at::Tensor> running) const;

private:
    std::vector<at::Tensor> sums_;  ///< of means and unbiased variances, in fp64
    std::int64_t micro_batches_ = 0;
};

}  // namespace civitas::nn
