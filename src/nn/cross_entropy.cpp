#include "civitas/nn/cross_entropy.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/empty_like.h>
#include <algorithm>
#include <cmath>
#include <utility>

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
    const auto host = logits.to(at::kCPU, at::kDouble).contiguous();
    at::Tensor gradient = at::empty_like(host);
    const auto count = static_cast<std::size_t>(host.size(1));
    const auto n = static_cast<double>(total);
    CrossEntropy sum;
    for (std::size_t b = 0; b < classes.of_sample.size(); ++b) {
        const auto wanted = static_cast<std::size_t>(classes.of_sample[b]);
        if (wanted >= count)
            throw Error(text("a sample is of class ", wanted, ", the net tells ", count, " apart"));
        const std::span x(host.const_data_ptr<double>() + b * count, count);
        const std::span slope(gradient.mutable_data_ptr<double>() + b * count, count);
        sum.value += loss_of(x, wanted, classes.smoothing, slope);
        const std::ptrdiff_t place = place_of(x, wanted);
        sum.first += place < 1 ? 1 : 0;
        sum.top_five += place < five ? 1 : 0;
    }
    sum.value /= n;
    sum.first /= n;
    sum.top_five /= n;
    sum.gradient = gradient.div_(n).to(logits.options());
    return sum;
}

}  // namespace civitas::nn
