#include "civitas/kernels/adam.hpp"

#include "gradient_sum.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/full.h>
#include <algorithm>
#include <cmath>

namespace civitas::kernels {
namespace {

/// The arrays of an update in memory.
struct AdamRun {
    std::int64_t count;
    float* weights;
    const float* gradient;
    float* first;
    float* second;
    float* mean;                  ///< null: none
    c10::BFloat16* compute_copy;  ///< null: none
};

/// What an element is multiplied by.
struct AdamScales {
    float rest1;  ///< 1 - beta1, rounded from double as the other differences from 1
    float beta2, rest2;
    float mean_decay, mean_rest;
    float epsilon;
    float step;           ///< learning rate / (1 - beta1^t)
    float inverse_root2;  ///< 1 / sqrt(1 - beta2^t)
};

/// Elements [begin, end).
template <bool has_mean, bool has_copy>
CIVITAS_VECTOR_BODY void update_some(const AdamRun& run, const AdamScales& scales,
                                     std::int64_t begin, std::int64_t end) {
    const auto [count, weights, gradient, first, second, mean, copy] = run;
    const auto [rest1, beta2, rest2, mean_decay, mean_rest, epsilon, step, inverse_root2] = scales;
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
        const float g = gradient[i];
        const float m = first[i] + rest1 * (g - first[i]);
        const float v = beta2 * second[i] + rest2 * (g * g);
        const float w = weights[i] - step * m / (std::sqrt(v) * inverse_root2 + epsilon);
        first[i] = m;
        second[i] = v;
        weights[i] = w;
        if (has_mean) mean[i] = mean_decay * mean[i] + mean_rest * w;
        if (has_copy) copy[i] = static_cast<c10::BFloat16>(w);
    }
}

template <bool has_mean, bool has_copy>
CIVITAS_VECTOR_BODY void update_all(const AdamRun& run, const AdamScales& scales) {
    constexpr std::int64_t block = 256, ahead = 512, line = 64 / sizeof(float);
    for (std::int64_t begin = 0; begin < run.count; begin += block) {
        const std::int64_t end = std::min(begin + block, run.count);
        // Five arrays are more than processors follow; behind their end nothing is read.
        for (std::int64_t i = begin + ahead; i < end + ahead; i += line) {
            __builtin_prefetch(run.weights + i);
            __builtin_prefetch(run.gradient + i);
            __builtin_prefetch(run.first + i);
            __builtin_prefetch(run.second + i);
            if (has_mean) __builtin_prefetch(run.mean + i);
        }
        update_some<has_mean, has_copy>(run, scales, begin, end);
    }
}

CIVITAS_VECTORISED void update(const AdamRun& run, const AdamScales& scales) {
    const bool mean = run.mean != nullptr, copy = run.compute_copy != nullptr;
    if (mean && copy) return update_all<true, true>(run, scales);
    if (mean) return update_all<true, false>(run, scales);
    if (copy) return update_all<false, true>(run, scales);
    update_all<false, false>(run, scales);
}

template <bool has_mean, bool has_copy>
CIVITAS_VECTOR_BODY std::int64_t update_by_sum(const AdamRun& run, const AdamScales& scales,
                                               const SumPlan& plan, float* room, float* kept) {
    constexpr std::int64_t ahead = 2 * sum_chunk, line = 64 / sizeof(float);
    std::int64_t first_bad = run.count;
    for (std::int64_t begin = 0; begin < run.count; begin += sum_chunk) {
        const std::int64_t some = std::min(sum_chunk, run.count - begin);
        for (std::int64_t i = begin + ahead; i < begin + ahead + some; i += line) {
            __builtin_prefetch(run.weights + i);
            __builtin_prefetch(run.first + i);
            __builtin_prefetch(run.second + i);
            if (has_mean) __builtin_prefetch(run.mean + i);
        }
        const float* const sum = sum_of_chunk(plan, begin, some, room);
        const std::int64_t bad = first_non_finite(sum, some);
        if (bad < some) first_bad = std::min(first_bad, begin + bad);
        for (std::int64_t i = 0; i < some; ++i) kept[begin + i] = run.weights[begin + i];
        update_some<has_mean, has_copy>(
            {some, run.weights + begin, sum, run.first + begin, run.second + begin,
             has_mean ? run.mean + begin : nullptr, has_copy ? run.compute_copy + begin : nullptr},
            scales, 0, some);
    }
    return first_bad;
}

CIVITAS_VECTORISED std::int64_t update(const AdamRun& run, const AdamScales& scales,
                                       const SumPlan& plan, float* room, float* kept) {
    const bool mean = run.mean != nullptr, copy = run.compute_copy != nullptr;
    if (mean && copy) return update_by_sum<true, true>(run, scales, plan, room, kept);
    if (mean) return update_by_sum<true, false>(run, scales, plan, room, kept);
    if (copy) return update_by_sum<false, true>(run, scales, plan, room, kept);
    return update_by_sum<false, false>(run, scales, plan, room, kept);
}

template <class T>
T* data_of(const at::Tensor& array) {
    return array.defined() ? array.mutable_data_ptr<T>() : nullptr;
}

AdamRun run_of(const AdamArrays& a) {
    for (const auto& array : {a.weights, a.gradient, a.first, a.second, a.mean, a.compute_copy})
        ensure(!array.defined() || (array.is_contiguous() && array.numel() == a.weights.numel()),
               "arrays of an update have one length");
    return {a.weights.numel(),
            data_of<float>(a.weights),
            data_of<float>(a.gradient),
            data_of<float>(a.first),
            data_of<float>(a.second),
            data_of<float>(a.mean),
            data_of<c10::BFloat16>(a.compute_copy)};
}

AdamScales scales_of(const AdamFactors& f) {
    const auto t = static_cast<double>(f.steps);
    const auto narrow = [](double value) { return static_cast<float>(value); };
    return {narrow(1 - f.beta1),
            narrow(f.beta2),
            narrow(1 - f.beta2),
            narrow(f.mean_decay),
            narrow(1 - f.mean_decay),
            narrow(f.epsilon),
            narrow(f.learning_rate / (1 - std::pow(f.beta1, t))),
            narrow(1 / std::sqrt(1 - std::pow(f.beta2, t)))};
}

}  // namespace

void adam_by_aten(const AdamArrays& a, const AdamFactors& f) {
    const auto steps =
        at::full({}, static_cast<double>(f.steps), a.weights.options().dtype(at::kFloat));
    at::_fused_adam_({a.weights}, {a.gradient}, {a.first}, {a.second}, {}, {steps}, f.learning_rate,
                     f.beta1, f.beta2, 0.0, f.epsilon, false, false);
    if (a.mean.defined()) a.mean.mul_(f.mean_decay).add_(a.weights, 1 - f.mean_decay);
    if (a.compute_copy.defined()) a.compute_copy.copy_(a.weights);
}

void adam(const AdamArrays& a, const AdamFactors& f) {
    if (!a.weights.is_cpu() || a.weights.scalar_type() != at::kFloat) return adam_by_aten(a, f);
    update(run_of(a), scales_of(f));
}

std::optional<std::int64_t> adam_of_sum_by_aten(const AdamArrays& a, const GradientTerms& terms,
                                                const AdamFactors& f) {
    const auto bad = add_up(terms, a.weights, a.gradient);
    adam_by_aten(a, f);
    return bad;
}

std::optional<std::int64_t> adam_of_sum(const AdamArrays& a, const GradientTerms& terms,
                                        const AdamFactors& f) {
    if (a.weights.scalar_type() != at::kFloat) return adam_of_sum_by_aten(a, terms, f);
    require_like(terms, a.weights);
    const SumPlan plan = plan_of(terms);
    std::vector<float> room(plan.chunks * static_cast<std::size_t>(sum_chunk));
    const AdamRun run = run_of(a);
    const std::int64_t bad =
        update(run, scales_of(f), plan, room.data(), terms.kept.mutable_data_ptr<float>());
    return bad < run.count ? std::optional(bad) : std::nullopt;
}

}  // namespace civitas::kernels
