#include "civitas/optim/update_rule.hpp"

#include "civitas/updates/adam.hpp"
#include "civitas/updates/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace civitas::optim {
namespace {

double rate(const OptimizerOptions& o, UpdateNumber number) {
    return o.learning_rate * o.schedule.factor(number.of_weights - 1);
}

updates::AdamFactors adam_factors(const OptimizerOptions& o, double ema, UpdateNumber number) {
    return {.learning_rate = rate(o, number),
            .beta1 = o.beta1,
            .beta2 = o.beta2,
            .epsilon = o.epsilon,
            .weight_decay = o.weight_decay,
            .mean_decay = mean_decay(ema, number.of_weights),
            .steps = number.of_moments};
}

updates::SgdFactors sgd_factors(const OptimizerOptions& o, double ema, UpdateNumber number) {
    return {.learning_rate = rate(o, number),
            .momentum = o.momentum,
            .weight_decay = o.weight_decay,
            .mean_decay = mean_decay(ema, number.of_weights)};
}

}  // namespace

double mean_decay(double limit, std::int64_t update) {
    const auto n = static_cast<double>(update);
    return std::min(limit, (1 + n) / (10 + n));
}

UpdateRule::UpdateRule(OptimizerOptions options, double ema)
    : options_(std::move(options)), ema_(ema) {}

void UpdateRule::update(const updates::UpdateArrays& block, UpdateNumber number) const {
    const bool fast = options_.kernels == net::KernelSet::fast;
    if (options_.kind == OptimizerKind::adam)
        return (fast ? updates::adam : updates::adam_by_aten)(block,
                                                              adam_factors(options_, ema_, number));
    (fast ? updates::sgd : updates::sgd_by_aten)(block, sgd_factors(options_, ema_, number));
}

std::optional<std::int64_t> UpdateRule::update_by_sum(const updates::UpdateArrays& block,
                                                      const updates::GradientTerms& terms,
                                                      UpdateNumber number) const {
    const bool fast = options_.kernels == net::KernelSet::fast;
    if (options_.kind == OptimizerKind::adam)
        return (fast ? updates::adam_of_sum : updates::adam_of_sum_by_aten)(
            block, terms, adam_factors(options_, ema_, number));
    return (fast ? updates::sgd_of_sum : updates::sgd_of_sum_by_aten)(
        block, terms, sgd_factors(options_, ema_, number));
}

double UpdateRule::moment_scale(std::size_t moment, std::int64_t before, std::int64_t after) const {
    if (options_.kind != OptimizerKind::adam) return 1;
    const double beta = moment == 0 ? options_.beta1 : options_.beta2;
    return (1 - std::pow(beta, static_cast<double>(after))) /
           (1 - std::pow(beta, static_cast<double>(before)));
}

}  // namespace civitas::optim
