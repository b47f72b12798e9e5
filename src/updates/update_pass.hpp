#pragma once
/// An update of weights in one pass over memory, whatever the rule by which an element changes.
#include "gradient_sum.hpp"

#include "civitas/updates/update_arrays.hpp"

#include <algorithm>
#include <vector>

namespace civitas::updates {

/// The arrays of an update in memory; null: there is none.
struct UpdateRun {
    std::int64_t count;
    float* weights;
    const float* gradient;
    float *first, *second;  ///< moments
    float* mean;
    c10::BFloat16* compute_copy;
};

struct MeanScales {
    float decay, rest;  ///< rest: 1 - decay, rounded from double as other differences from 1
};

/// Throws unless the arrays are of one length.
[[nodiscard]] UpdateRun run_of(const UpdateArrays& arrays);
[[nodiscard]] MeanScales mean_scales(double decay);
/// Brings the mean and the compute copy up to date, by calls of ATen.
void follow_weights(const UpdateArrays& arrays, double mean_decay);

/// Elements [begin, end). A Rule says how many moments it has, and makes the next weight of a
/// weight, a gradient and these, which it changes.
template <bool has_mean, bool has_copy, class Rule>
CIVITAS_VECTOR_BODY void update_some(const UpdateRun& run, const Rule& by, const MeanScales& scales,
                                     std::int64_t begin, std::int64_t end) {
    const auto [count, weights, gradient, first, second, mean, copy] = run;
    const auto [mean_decay, mean_rest] = scales;
    const Rule rule = by;
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
        float m = 0, v = 0;
        if constexpr (Rule::moments > 0) m = first[i];
        if constexpr (Rule::moments > 1) v = second[i];
        const float w = rule.next(weights[i], gradient[i], m, v);
        if constexpr (Rule::moments > 0) first[i] = m;
        if constexpr (Rule::moments > 1) second[i] = v;
        weights[i] = w;
        if constexpr (has_mean) mean[i] = mean_decay * mean[i] + mean_rest * w;
        if constexpr (has_copy) copy[i] = static_cast<c10::BFloat16>(w);
    }
}

/// Five arrays are more than processors follow. Behind the end of an array nothing is read.
template <bool has_mean, class Rule>
CIVITAS_VECTOR_BODY void prefetch(const UpdateRun& run, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t line = 64 / sizeof(float);
    for (std::int64_t i = begin; i < end; i += line) {
        __builtin_prefetch(run.weights + i);
        if constexpr (Rule::moments > 0) __builtin_prefetch(run.first + i);
        if constexpr (Rule::moments > 1) __builtin_prefetch(run.second + i);
        if constexpr (has_mean) __builtin_prefetch(run.mean + i);
    }
}

template <bool has_mean, bool has_copy, class Rule>
CIVITAS_VECTOR_BODY void update_all(const UpdateRun& run, const Rule& rule,
                                    const MeanScales& scales) {
    constexpr std::int64_t block = 256, ahead = 512, line = 64 / sizeof(float);
    for (std::int64_t begin = 0; begin < run.count; begin += block) {
        const std::int64_t end = std::min(begin + block, run.count);
        prefetch<has_mean, Rule>(run, begin + ahead, end + ahead);
        for (std::int64_t i = begin + ahead; i < end + ahead; i += line)
            __builtin_prefetch(run.gradient + i);
        update_some<has_mean, has_copy>(run, rule, scales, begin, end);
    }
}

/// For the gradient that is a sum; returns the first element that is not finite, or the count.
template <bool has_mean, bool has_copy, class Rule>
CIVITAS_VECTOR_BODY std::int64_t update_all_by_sum(const UpdateRun& run, const Rule& rule,
                                                   const MeanScales& scales, const SumPlan& plan,
                                                   float* room, float* kept) {
    constexpr std::int64_t ahead = 2 * sum_chunk;
    std::int64_t first_bad = run.count;
    for (std::int64_t begin = 0; begin < run.count; begin += sum_chunk) {
        const std::int64_t some = std::min(sum_chunk, run.count - begin);
        prefetch<has_mean, Rule>(run, begin + ahead, begin + ahead + some);
        const float* const sum = sum_of_chunk(plan, begin, some, room);
        const std::int64_t bad = first_non_finite(sum, some);
        if (bad < some) first_bad = std::min(first_bad, begin + bad);
        for (std::int64_t i = 0; i < some; ++i) kept[begin + i] = run.weights[begin + i];
        update_some<has_mean, has_copy>(UpdateRun{some, run.weights + begin, sum,
                                                  Rule::moments > 0 ? run.first + begin : nullptr,
                                                  Rule::moments > 1 ? run.second + begin : nullptr,
                                                  has_mean ? run.mean + begin : nullptr,
                                                  has_copy ? run.compute_copy + begin : nullptr},
                                        rule, scales, 0, some);
    }
    return first_bad;
}

/// To be called by a function that is CIVITAS_VECTORISED.
template <class Rule>
CIVITAS_VECTOR_BODY void update_by(const UpdateRun& run, const Rule& rule,
                                   const MeanScales& scales) {
    const bool mean = run.mean != nullptr, copy = run.compute_copy != nullptr;
    if (mean && copy) return update_all<true, true>(run, rule, scales);
    if (mean) return update_all<true, false>(run, rule, scales);
    if (copy) return update_all<false, true>(run, rule, scales);
    update_all<false, false>(run, rule, scales);
}
template <class Rule>
CIVITAS_VECTOR_BODY std::int64_t update_by_sum(const UpdateRun& run, const Rule& rule,
                                               const MeanScales& scales, const SumPlan& plan,
                                               float* room, float* kept) {
    const bool mean = run.mean != nullptr, copy = run.compute_copy != nullptr;
    if (mean && copy) return update_all_by_sum<true, true>(run, rule, scales, plan, room, kept);
    if (mean) return update_all_by_sum<true, false>(run, rule, scales, plan, room, kept);
    if (copy) return update_all_by_sum<false, true>(run, rule, scales, plan, room, kept);
    return update_all_by_sum<false, false>(run, rule, scales, plan, room, kept);
}

/// Whether the loops above are for these arrays.
[[nodiscard]] inline bool is_for_loops(const UpdateArrays& arrays) {
    return arrays.weights.is_cpu() && arrays.weights.scalar_type() == at::kFloat;
}

/// Calls `update(plan, room, kept)` for the sum of terms; returns what it found, if anything.
template <class Update>
std::optional<std::int64_t> with_plan(const UpdateArrays& arrays, const GradientTerms& terms,
                                      Update&& update) {
    require_like(terms, arrays.weights);
    const SumPlan plan = plan_of(terms);
    std::vector<float> room(plan.chunks * static_cast<std::size_t>(sum_chunk));
    const std::int64_t bad = update(plan, room.data(), terms.kept.mutable_data_ptr<float>());
    return bad < arrays.weights.numel() ? std::optional(bad) : std::nullopt;
}

}  // namespace civitas::updates
