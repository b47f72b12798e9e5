#include "civitas/nn/loss.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace civitas::nn {
namespace {

/// Loss of one logit x and its derivative. With s(x) = 1 / (1 + exp(-x)) and the target t, which is
/// options.smoothing for `real`, 0 for `fake`, 1 for `generator`:
///   bce:   -t log s(x) - (1 - t) log(1 - s(x)) = log(1 + exp(x)) - t x;  slope s(x) - t
///   lsgan: (x - t)^2;  slope 2 (x - t)
///   hinge: max(0, 1 - x) for `real`, max(0, 1 + x) for `fake`, -x for `generator`;  slope of that
struct Term {
    double value;
    double slope;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
/// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double wanted(const LossOptions& options, Target target) {
    return target == Target::real ? options.smoothing : target == Target::generator ? 1 : 0;
}

Term hinge(Target target, double x) {
    if (target == Target::generator) return {-x, -1};
    const double sign = target == Target::real ? -1 : 1;
    const double miss = 1 + sign * x;
    // A logit that is not a number must show: neither comparison holds for it.
    return miss > 0 ? Term{miss, sign} : miss <= 0 ? Term{0, 0} : Term{miss, miss};
}

Term term(const LossOptions& options, Target target, double x) {
    const double t = wanted(options, target);
    switch (options.kind) {
        case net::LossKind::bce: return {softplus(x) - t * x, sigmoid(x) - t};
        case net::LossKind::lsgan: return {(x - t) * (x - t), 2 * (x - t)};
        case net::LossKind::hinge: return hinge(target, x);
    }
    return {};
}

/// The same of all logits at once.
struct Terms {
    at::Tensor values, slopes;
};

Terms hinge_by_aten(Target target, const at::Tensor& x) {
    if (target == Target::generator) return {x.neg(), at::full_like(x, -1)};
    const double sign = target == Target::real ? -1 : 1;
    const at::Tensor miss = x.mul(sign).add_(1);
    const at::Tensor slopes = miss.gt(0).to(at::kDouble).mul_(sign);
    return {miss.clamp_min(0), at::where(miss.isnan(), miss, slopes)};
}

Terms terms_by_aten(const LossOptions& options, Target target, const at::Tensor& x,
                    const at::Tensor& probability) {
    const double t = wanted(options, target);
    switch (options.kind) {
        case net::LossKind::bce:
            return {at::log_sigmoid(x.neg()).neg_().sub_(x, t), probability.sub(t)};
        case net::LossKind::lsgan: return {x.sub(t).square_(), x.sub(t).mul_(2)};
        case net::LossKind::hinge: return hinge_by_aten(target, x);
    }
    return {};
}

}  // namespace

Loss loss(const LossOptions& options, Target target, const at::Tensor& logits, std::int64_t total) {
    if (!logits.is_cpu()) return loss_by_aten(options, target, logits, total);
    const auto x_B = logits.to(at::kDouble).contiguous();
    auto gradient = at::empty_like(x_B);
    const auto* x = x_B.const_data_ptr<double>();
    auto* slope = gradient.mutable_data_ptr<double>();
    const auto n = static_cast<double>(total);
    double value = 0, probability = 0;
    for (std::int64_t i = 0; i < x_B.numel(); ++i) {
        const auto one = term(options, target, x[i]);
        value += one.value;
        probability += sigmoid(x[i]);
        slope[i] = one.slope / n;
    }
    const at::Tensor figures = at::empty({2}, at::kDouble);
    figures.mutable_data_ptr<double>()[0] = value / n;
    figures.mutable_data_ptr<double>()[1] = probability / n;
    return {figures, gradient.to(logits.options())};
}

Loss loss_by_aten(const LossOptions& options, Target target, const at::Tensor& logits,
                  std::int64_t total) {
    const auto n = static_cast<double>(total);
    const at::Tensor x = logits.to(at::kDouble);
    const at::Tensor probability = at::sigmoid(x);
    const Terms terms = terms_by_aten(options, target, x, probability);
    return {at::stack({terms.values.sum(), probability.sum()}).div_(n),
            terms.slopes.div(n).to(logits.options())};
}

}  // namespace civitas::nn
