#include "civitas/parallel/optimizer.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/collectives.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/full.h>
#include <algorithm>

namespace civitas::parallel {

using comm::part;

Adam::Adam(const net::ArenaLayout& layout, Range elements, AdamOptions options, at::ScalarType type,
           at::Device device, std::optional<double> ema)
    : options_(options),
      first_(layout, elements, type, device),
      second_(layout, elements, type, device) {
    if (!ema) return;
    mean_.emplace(layout, elements, type, device);
    ema_ = *ema;
}

void Adam::start_mean(const at::Tensor& weights) {
    if (mean_) mean_->flat().copy_(weights);
}

std::int64_t Adam::bytes() const {
    return first_.bytes() + second_.bytes() + (mean_ ? mean_->bytes() : 0);
}

void Adam::step(const at::Tensor& weights, const at::Tensor& gradient,
                const at::Tensor& compute_copy) {
    const std::int64_t size = first_.elements().count;
    ensure(gradient.numel() == size && weights.numel() == size,
           "weights, gradient and moments have one layout");
    if (steps_ == 0) start_mean(weights);
    ++steps_;
    const Update all{
        weights, gradient, compute_copy,
        at::full({}, static_cast<double>(steps_), weights.options().dtype(at::kFloat))};
    if (!weights.is_cpu()) return update(all, {0, size});
    const at::ThreadLocalState caller;
    at::parallel_for(
        0, (size + adam_block - 1) / adam_block, 1, [&](std::int64_t first, std::int64_t last) {
            const at::ThreadLocalStateGuard like_caller(caller);
            for (std::int64_t at = first * adam_block; at < last * adam_block; at += adam_block)
                update(all, {at, std::min(adam_block, size - at)});
        });
}

void Adam::update(const Update& all, Range block) const {
    const at::Tensor weights = part(all.weights, block);
    at::_fused_adam_({weights}, {part(all.gradient, block)}, {part(first_.flat(), block)},
                     {part(second_.flat(), block)}, {}, {all.step_number}, options_.learning_rate,
                     options_.beta1, options_.beta2, 0.0, options_.epsilon, false, false);
    if (mean_) part(mean_->flat(), block).mul_(ema_).add_(weights, 1 - ema_);
    if (all.compute_copy.defined()) part(all.compute_copy, block).copy_(weights);
}

}  // namespace civitas::parallel
