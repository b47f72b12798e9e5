#pragma once
/// How an optimizer changes weights by a gradient, block by block.
#include "civitas/base/optimizer_kind.hpp"
#include "civitas/base/rate_schedule.hpp"
#include "civitas/net/kernel_set.hpp"
#include "civitas/updates/gradient_sum.hpp"
#include "civitas/updates/update_arrays.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace civitas::optim {

struct OptimizerOptions {
    OptimizerKind kind = OptimizerKind::adam;
    double learning_rate = 2e-4;
    double beta1 = 0.5;       ///< of Adam
    double beta2 = 0.999;     ///< of Adam
    double epsilon = 1e-8;    ///< of Adam
    double momentum = 0.9;    ///< of SGD
    double weight_decay = 0;  ///< added to the gradient, times the weights (L2 regularisation)
    RateSchedule schedule = {};
    net::KernelSet kernels = net::KernelSet::aten;

    /// The names of the moments: see civitas::moments_of.
    [[nodiscard]] std::span<const std::string_view> moments() const {
        return moments_of(kind, momentum);
    }
};

/// Which update of the weights one is, from 1.
struct UpdateNumber {
    std::int64_t of_weights = 1;  ///< of all that the weights got: decides the learning rate
    std::int64_t of_moments = 1;  ///< of those that these moments have seen: corrects their bias
};

/// The decay of the mean of the weights in an update, from 1: min(limit, (1 + n) / (10 + n)), as
/// TensorFlow's ExponentialMovingAverage has it with num_updates. So the mean is over the last
/// ninth of a short run, and not over what was before anything was learnt.
[[nodiscard]] double mean_decay(double limit, std::int64_t update);

/// One update with g = gradient + weight_decay weights, element by element, eta being
/// learning_rate * schedule.factor(t - 1). Adam (Kingma & Ba 2015, arXiv 1412.6980), t' counting
/// what the moments have seen:
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
///   weights -= eta (m / (1 - beta1^t')) / (sqrt(v / (1 - beta2^t')) + epsilon).
/// SGD (Sutskever et al. 2013 as torch.optim.SGD has it, without dampening):
///   m = momentum m + g,  weights -= eta m.
class UpdateRule {
public:
    /// `ema`: the limit of mean_decay(), where a mean of the weights is kept.
    UpdateRule(OptimizerOptions options, double ema);
    [[nodiscard]] const OptimizerOptions& options() const noexcept { return options_; }

    /// The arrays have as many moments as options().moments().
    void update(const updates::UpdateArrays& block, UpdateNumber number) const;
    /// By a sum of terms, for which the gradient is room; CPUs alone. Returns the first element
    /// whose sum is not finite: the update is of no use then.
    std::optional<std::int64_t> update_by_sum(const updates::UpdateArrays& block,
                                              const updates::GradientTerms& terms,
                                              UpdateNumber number) const;
    /// What a moment, by its place among them, that has seen `before` updates is multiplied by so
    /// that it makes as one that has seen `after`: what it is after bias correction stays.
    [[nodiscard]] double moment_scale(std::size_t moment, std::int64_t before,
                                      std::int64_t after) const;

private:
    OptimizerOptions options_;
    double ema_;
};

}  // namespace civitas::optim
