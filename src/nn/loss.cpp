#include "civitas/nn/loss.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <ATen/ops/empty_like.h>
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

}  // namespace

Loss loss(const LossOptions& options, Target target, const at::Tensor& logits, std::int64_t total) {
    const auto host = logits.to(at::kCPU, at::kDouble).contiguous();
    auto gradient = at::empty_like(host);
    const auto* x = host.const_data_ptr<double>();
    auto* slope = gradient.mutable_data_ptr<double>();
    const auto n = static_cast<double>(total);
    Loss sum;
    for (std::int64_t i = 0; i < host.numel(); ++i) {
        const auto one = term(options, target, x[i]);
        sum.value += one.value;
        sum.mean_probability += sigmoid(x[i]);
        slope[i] = one.slope / n;
    }
    sum.value /= n;
    sum.mean_probability /= n;
    sum.gradient = gradient.to(logits.options());
    return sum;
}

}  // namespace civitas::nn
