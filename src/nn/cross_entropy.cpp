#include "civitas/nn/cross_entropy.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <cmath>
#include <span>

namespace civitas::nn {
namespace {

/// What one sample adds to the loss; its gradient is written to `slope`.
double loss_of(std::span<const double> logits, std::size_t wanted, double smoothing,
               std::span<double> slope) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double x : logits) sum += std::exp(x - largest);
    const double log_sum = largest + std::log(sum);
    const double share = smoothing / static_cast<double>(logits.size());
    double loss = 0;
    for (std::size_t k = 0; k < logits.size(); ++k) {
        const double q = share + (k == wanted ? 1 - smoothing : 0);
        const double log_p = logits[k] - log_sum;
        if (q != 0) loss -= q * log_p;
        slope[k] = std::exp(log_p) - q;
    }
    return loss;
}

/// How many classes come before the wanted one, by their logits.
std::ptrdiff_t place_of(std::span<const double> logits, std::size_t wanted) {
    std::ptrdiff_t before = 0;
    for (std::size_t k = 0; k < logits.size(); ++k)
        if (logits[k] > logits[wanted] || (logits[k] == logits[wanted] && k < wanted)) ++before;
    return before;
}

}  // namespace

CrossEntropy cross_entropy(const at::Tensor& logits, const Classes& classes, std::int64_t total) {
    constexpr std::ptrdiff_t five = 5;
    if (!logits.is_cpu()) return cross_entropy_by_aten(logits, classes, total);
    const auto x_BK = logits.to(at::kDouble).contiguous();
    const auto of_sample_B = classes.of_sample_B.to(at::kLong).contiguous();
    at::Tensor gradient = at::empty_like(x_BK);
    const at::Tensor figures = at::zeros({3}, at::kDouble);
    auto* const sum = figures.mutable_data_ptr<double>();
    const auto count = static_cast<std::size_t>(x_BK.size(1));
    for (std::int64_t b = 0; b < of_sample_B.numel(); ++b) {
        const auto wanted = static_cast<std::size_t>(of_sample_B.const_data_ptr<std::int64_t>()[b]);
        if (wanted >= count)
            throw Error(text("a sample is of class ", wanted, ", the net tells ", count, " apart"));
        const std::size_t first = static_cast<std::size_t>(b) * count;
        const std::span x(x_BK.const_data_ptr<double>() + first, count);
        const std::span slope(gradient.mutable_data_ptr<double>() + first, count);
        sum[0] += loss_of(x, wanted, classes.smoothing, slope);
        const std::ptrdiff_t place = place_of(x, wanted);
        sum[1] += place < 1 ? 1 : 0;
        sum[2] += place < five ? 1 : 0;
    }
    const auto n = static_cast<double>(total);
    for (std::size_t i = 0; i < 3; ++i) sum[i] /= n;
    return {figures, gradient.div_(n).to(logits.options())};
}

CrossEntropy cross_entropy_by_aten(const at::Tensor& logits, const Classes& classes,
                                   std::int64_t total) {
    constexpr std::int64_t five = 5;
    const auto n = static_cast<double>(total);
    const at::Tensor x_BK = logits.to(at::kDouble).flatten(1);
    const std::int64_t count = x_BK.size(1);
    const at::Tensor wanted_B1 = classes.of_sample_B.to(at::kLong).unsqueeze(1);
    const at::Tensor log_p_BK = at::log_softmax(x_BK, 1);
    const at::Tensor q_BK = at::full_like(x_BK, classes.smoothing / static_cast<double>(count));
    q_BK.add_(at::zeros_like(x_BK).scatter_(1, wanted_B1, 1 - classes.smoothing));
    const at::Tensor x_B1 = x_BK.gather(1, wanted_B1);
    const at::Tensor class_K = at::arange(count, wanted_B1.options());
    const at::Tensor place_B =
        x_BK.gt(x_B1).logical_or_(x_BK.eq(x_B1).logical_and_(class_K.lt(wanted_B1))).sum(1);
    const at::Tensor losses_BK = at::where(q_BK.eq(0), 0.0, q_BK.mul(log_p_BK)).neg_();
    const at::Tensor figures = at::stack({losses_BK.sum(), place_B.lt(1).sum().to(at::kDouble),
                                          place_B.lt(five).sum().to(at::kDouble)});
    return {figures.div_(n),
            log_p_BK.exp().sub_(q_BK).div_(n).view_as(logits).to(logits.options())};
}

}  // namespace civitas::nn
