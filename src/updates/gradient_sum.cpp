#include "gradient_sum.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"

#include <ATen/ops/add.h>
#include <ATen/ops/isfinite.h>
#include <algorithm>

namespace civitas::updates {
namespace {

/// Plans the sum of `count` terms in tree order, in chunks of the room from `chunk` on, and returns
/// the number of the operand that it is.
std::size_t plan_tree(SumPlan& plan, std::size_t first, std::int64_t count, std::size_t chunk) {
    if (count == 1) return first;
    const std::int64_t left = tree_split(count);
    const std::size_t a = plan_tree(plan, first, left, chunk);
    const std::size_t b =
        plan_tree(plan, first + static_cast<std::size_t>(left), count - left, chunk + 1);
    plan.additions.push_back({plan.terms.size() + chunk, a, b});
    plan.chunks = std::max(plan.chunks, chunk + 1);
    return plan.terms.size() + chunk;
}

CIVITAS_VECTORISED std::int64_t add_up_all(const SumPlan& plan, std::int64_t count, float* room,
                                           const float* weights, float* kept, float* sum) {
    std::int64_t first_bad = count;
    for (std::int64_t begin = 0; begin < count; begin += sum_chunk) {
        const std::int64_t some = std::min(sum_chunk, count - begin);
        const float* const of_chunk = sum_of_chunk(plan, begin, some, room);
        const std::int64_t bad = first_non_finite(of_chunk, some);
        if (bad < some) first_bad = std::min(first_bad, begin + bad);
        for (std::int64_t i = 0; i < some; ++i) sum[begin + i] = of_chunk[i];
        for (std::int64_t i = 0; i < some; ++i) kept[begin + i] = weights[begin + i];
    }
    return first_bad;
}

at::Tensor sum_by_aten(const GradientTerms& terms) {
    at::Tensor sum;
    for (const auto& pass : terms.passes) {
        const at::Tensor of_pass = tree_sum(
            0, std::ssize(pass),
            [&](std::int64_t rank) { return pass[static_cast<std::size_t>(rank)]; },
            [](const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); });
        sum = sum.defined() ? at::add(sum, of_pass) : of_pass;
    }
    return sum;
}

}  // namespace

void require_like(const GradientTerms& terms, const at::Tensor& weights) {
    const auto is_like = [&](const at::Tensor& array) {
        return array.is_contiguous() && array.numel() == weights.numel() &&
               array.scalar_type() == weights.scalar_type();
    };
    for (const auto& pass : terms.passes)
        ensure(std::all_of(pass.begin(), pass.end(), is_like),
               "terms are of the weights' elements");
    ensure(is_like(terms.kept), "there is room for the weights");
}

SumPlan plan_of(const GradientTerms& terms) {
    SumPlan plan;
    for (const auto& pass : terms.passes)
        for (const at::Tensor& term : pass) plan.terms.push_back(term.const_data_ptr<float>());
    std::size_t first = 0, sum = 0;
    for (std::size_t pass = 0; pass < terms.passes.size(); ++pass) {
        const std::int64_t ranks = std::ssize(terms.passes[pass]);
        const std::size_t of_pass = plan_tree(plan, first, ranks, pass == 0 ? 0 : 1);
        if (pass > 0) plan.additions.push_back({plan.terms.size(), sum, of_pass});
        sum = pass > 0 ? plan.terms.size() : of_pass;
        first += static_cast<std::size_t>(ranks);
    }
    // The one term may be overwritten by what is kept before it is used.
    if (plan.additions.empty()) plan.additions.push_back({plan.terms.size(), sum, sum});
    plan.chunks = std::max<std::size_t>(plan.chunks, 1);
    return plan;
}

std::optional<std::int64_t> add_up(const GradientTerms& terms, const at::Tensor& weights,
                                   const at::Tensor& sum) {
    require_like(terms, weights);
    ensure(sum.numel() == weights.numel(), "a sum has room");
    if (sum.scalar_type() != at::kFloat) {
        sum.copy_(sum_by_aten(terms));
        terms.kept.copy_(weights);
        const at::Tensor bad = at::isfinite(sum).logical_not_().nonzero();
        if (bad.size(0) == 0) return std::nullopt;
        return bad[0].item<std::int64_t>();
    }
    const SumPlan plan = plan_of(terms);
    std::vector<float> room(plan.chunks * static_cast<std::size_t>(sum_chunk));
    const std::int64_t bad =
        add_up_all(plan, sum.numel(), room.data(), weights.const_data_ptr<float>(),
                   terms.kept.mutable_data_ptr<float>(), sum.mutable_data_ptr<float>());
    return bad < sum.numel() ? std::optional(bad) : std::nullopt;
}

}  // namespace civitas::updates
