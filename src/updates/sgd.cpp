#include "civitas/updates/sgd.hpp"

#include "update_pass.hpp"

#include <ATen/ops/_fused_sgd.h>
#include <vector>

namespace civitas::updates {
namespace {

/// What an element is multiplied by.
template <bool has_momentum>
struct SgdRule {
    static constexpr int moments = has_momentum ? 1 : 0;
    float decay;  ///< of weights
    float momentum;
    float rate;

    CIVITAS_VECTOR_BODY float next(float weight, float gradient, float& buffer,
                                   float& /*second*/) const {
        const float g = gradient + decay * weight;
        buffer = has_momentum ? momentum * buffer + g : g;
        return weight - rate * buffer;
    }
};

CIVITAS_VECTORISED void update(const UpdateRun& run, const SgdRule<true>& rule,
                               const MeanScales& scales) {
    update_by(run, rule, scales);
}
CIVITAS_VECTORISED void update(const UpdateRun& run, const SgdRule<false>& rule,
                               const MeanScales& scales) {
    update_by(run, rule, scales);
}
CIVITAS_VECTORISED std::int64_t update(const UpdateRun& run, const SgdRule<true>& rule,
                                       const MeanScales& scales, const SumPlan& plan, float* room,
                                       float* kept) {
    return update_by_sum(run, rule, scales, plan, room, kept);
}
CIVITAS_VECTORISED std::int64_t update(const UpdateRun& run, const SgdRule<false>& rule,
                                       const MeanScales& scales, const SumPlan& plan, float* room,
                                       float* kept) {
    return update_by_sum(run, rule, scales, plan, room, kept);
}

template <bool has_momentum>
SgdRule<has_momentum> rule_of(const SgdFactors& f) {
    return {static_cast<float>(f.weight_decay), static_cast<float>(f.momentum),
            static_cast<float>(f.learning_rate)};
}

}  // namespace

void sgd_by_aten(const UpdateArrays& a, const SgdFactors& f) {
    std::vector<at::Tensor> buffers;
    if (a.first.defined()) buffers.push_back(a.first);
    at::_fused_sgd_({a.weights}, {a.gradient}, buffers, f.weight_decay, f.momentum, f.learning_rate,
                    /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false,
                    /*is_first_step=*/false);
    follow_weights(a, f.mean_decay);
}

void sgd(const UpdateArrays& a, const SgdFactors& f) {
    if (!is_for_loops(a)) return sgd_by_aten(a, f);
    const MeanScales scales = mean_scales(f.mean_decay);
    if (a.first.defined()) return update(run_of(a), rule_of<true>(f), scales);
    update(run_of(a), rule_of<false>(f), scales);
}

std::optional<std::int64_t> sgd_of_sum_by_aten(const UpdateArrays& a, const GradientTerms& terms,
                                               const SgdFactors& f) {
    const auto bad = add_up(terms, a.weights, a.gradient);
    sgd_by_aten(a, f);
    return bad;
}

std::optional<std::int64_t> sgd_of_sum(const UpdateArrays& a, const GradientTerms& terms,
                                       const SgdFactors& f) {
    if (!is_for_loops(a)) return sgd_of_sum_by_aten(a, terms, f);
    const MeanScales scales = mean_scales(f.mean_decay);
    return with_plan(a, terms, [&](const SumPlan& plan, float* room, float* kept) {
        if (a.first.defined()) return update(run_of(a), rule_of<true>(f), scales, plan, room, kept);
        return update(run_of(a), rule_of<false>(f), scales, plan, room, kept);
    });
}

}  // namespace civitas::updates
