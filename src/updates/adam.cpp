#include "civitas/updates/adam.hpp"

#include "update_pass.hpp"

#include "civitas/gpu/adam.hpp"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <cmath>

namespace civitas::updates {
namespace {

struct AdamRule : gpu::AdamScales {
    static constexpr int moments = 2;

    CIVITAS_VECTOR_BODY float next(float weight, float gradient, float& first,
                                   float& second) const {
        const float g = gradient + decay * weight;
        first = first + rest1 * (g - first);
        second = beta2 * second + rest2 * (g * g);
        return weight - step * first / (std::sqrt(second) * inverse_root2 + epsilon);
    }
};

CIVITAS_VECTORISED void update(const UpdateRun& run, const AdamRule& rule,
                               const MeanScales& scales) {
    update_by(run, rule, scales);
}
CIVITAS_VECTORISED std::int64_t update(const UpdateRun& run, const AdamRule& rule,
                                       const MeanScales& scales, const SumPlan& plan, float* room,
                                       float* kept) {
    return update_by_sum(run, rule, scales, plan, room, kept);
}

AdamRule rule_of(const AdamFactors& f) {
    const auto t = static_cast<double>(f.steps);
    const auto narrow = [](double value) { return static_cast<float>(value); };
    return {{narrow(f.weight_decay), narrow(1 - f.beta1), narrow(f.beta2), narrow(1 - f.beta2),
             narrow(f.epsilon), narrow(f.learning_rate / (1 - std::pow(f.beta1, t))),
             narrow(1 / std::sqrt(1 - std::pow(f.beta2, t)))}};
}

bool is_for_gpu(const UpdateArrays& a) {
    return a.weights.is_cuda() && a.weights.scalar_type() == at::kFloat &&
           (!a.compute_copy.defined() || a.compute_copy.scalar_type() == at::kBFloat16);
}

}  // namespace

void adam_by_aten(const UpdateArrays& a, const AdamFactors& f) {
    const auto steps =
        at::full({}, static_cast<double>(f.steps), a.weights.options().dtype(at::kFloat));
    std::optional<at::Tensor> found_inf;
    if (a.condition.defined()) found_inf = at::isfinite(a.condition).logical_not().to(at::kFloat);
    at::_fused_adam_({a.weights}, {a.gradient}, {a.first}, {a.second}, {}, {steps}, f.learning_rate,
                     f.beta1, f.beta2, f.weight_decay, f.epsilon, /*amsgrad=*/false,
                     /*maximize=*/false, /*grad_scale=*/{}, found_inf);
    follow_weights(a, f.mean_decay);
}

void adam(const UpdateArrays& a, const AdamFactors& f) {
    if (is_for_gpu(a))
        return gpu::adam(
            {a.weights, a.gradient, a.first, a.second, a.mean, a.compute_copy, a.condition},
            rule_of(f), f.mean_decay);
    if (!is_for_loops(a)) return adam_by_aten(a, f);
    update(run_of(a), rule_of(f), mean_scales(f.mean_decay));
}

std::optional<std::int64_t> adam_of_sum_by_aten(const UpdateArrays& a, const GradientTerms& terms,
                                                const AdamFactors& f) {
    const auto bad = add_up(terms, a.weights, a.gradient);
    adam_by_aten(a, f);
    return bad;
}

std::optional<std::int64_t> adam_of_sum(const UpdateArrays& a, const GradientTerms& terms,
                                        const AdamFactors& f) {
    if (!is_for_loops(a)) return adam_of_sum_by_aten(a, terms, f);
    return with_plan(a, terms, [&](const SumPlan& plan, float* room, float* kept) {
        return update(run_of(a), rule_of(f), mean_scales(f.mean_decay), plan, room, kept);
    });
}

}  // namespace civitas::updates
