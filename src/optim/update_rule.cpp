#include "civitas/optim/update_rule.hpp"

#include "civitas/updates/adam.hpp"
#include "civitas/updates/sgd.hpp"

#include <cmath>
#include <utility>

namespace civitas::optim {
namespace {

updates::AdamFactors adam_factors(const OptimizerOptions& o, double rate, double mean_decay,
                                  std::int64_t steps) {
    return {.learning_rate = rate,
            .beta1 = o.beta1,
            .beta2 = o.beta2,
            .epsilon = o.epsilon,
            .weight_decay = o.weight_decay,
            .mean_decay = mean_decay,
            .steps = steps};
}

updates::SgdFactors sgd_factors(const OptimizerOptions& o, double rate, double mean_decay) {
    return {.learning_rate = rate,
            .momentum = o.momentum,
            .weight_decay = o.weight_decay,
            .mean_decay = mean_decay};
}

}  // namespace

UpdateRule::UpdateRule(OptimizerOptions options, double mean_decay)
    : options_(std::move(options)), mean_decay_(mean_decay) {}

double UpdateRule::rate(UpdateNumber number) const {
    return options_.learning_rate * options_.schedule.factor(number.of_weights - 1);
}

void UpdateRule::update(const updates::UpdateArrays& block, UpdateNumber number) const {
    const bool fast = options_.kernels == net::KernelSet::fast;
    if (options_.kind == OptimizerKind::adam)
        return (fast ? updates::adam : updates::adam_by_aten)(
            block, adam_factors(options_, rate(number), mean_decay_, number.of_moments));
    (fast ? updates::sgd : updates::sgd_by_aten)(block,
                                                 sgd_factors(options_, rate(number), mean_decay_));
}

std::optional<std::int64_t> UpdateRule::update_by_sum(const updates::UpdateArrays& block,
                                                      const updates::GradientTerms& terms,
                                                      UpdateNumber number) const {
    const bool fast = options_.kernels == net::KernelSet::fast;
    if (options_.kind == OptimizerKind::adam)
        return (fast ? updates::adam_of_sum : updates::adam_of_sum_by_aten)(
            block, terms, adam_factors(options_, rate(number), mean_decay_, number.of_moments));
    return (fast ? updates::sgd_of_sum : updates::sgd_of_sum_by_aten)(
        block, terms, sgd_factors(options_, rate(number), mean_decay_));
}

double UpdateRule::moment_scale(std::size_t moment, std::int64_t before, std::int64_t after) const {
    if (options_.kind != OptimizerKind::adam) return 1;
    const double beta = moment == 0 ? options_.beta1 : options_.beta2;
    return (1 - std::pow(beta, static_cast<double>(after))) /
           (1 - std::pow(beta, static_cast<double>(before)));
}

}  // namespace civitas::optim
