#include "civitas/parallel/optimizer.hpp"

#include "civitas/base/error.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/full.h>
#include <algorithm>

namespace civitas::parallel {

Adam::Adam(const net::ArenaLayout& layout, AdamOptions options, at::ScalarType type,
           at::Device device, std::optional<double> ema)
    : options_(options), first_(layout, type, device), second_(layout, type, device) {
    if (!ema) return;
    mean_.emplace(layout, type, device);
    ema_ = *ema;
}

void Adam::start_mean(const Arena& weights) {
    if (mean_) mean_->flat().copy_(weights.flat());
}

void Adam::step(const Arena& weights, const at::Tensor& gradient, const Arena* compute_copy) {
    const std::int64_t size = weights.flat().numel();
    ensure(gradient.numel() == size && first_.flat().numel() == size,
           "weights, gradient and moments have one layout");
    if (steps_ == 0) start_mean(weights);
    ++steps_;
    const at::Tensor step_number =
        at::full({}, static_cast<double>(steps_), weights.flat().options().dtype(at::kFloat));
    const Update all{weights, gradient, compute_copy, step_number};
    if (!weights.flat().is_cpu()) return update(all, {0, size});
    const at::ThreadLocalState caller;
    at::parallel_for(
        0, (size + adam_block - 1) / adam_block, 1, [&](std::int64_t first, std::int64_t last) {
            const at::ThreadLocalStateGuard like_caller(caller);
            for (std::int64_t at = first * adam_block; at < last * adam_block; at += adam_block)
                update(all, {at, std::min(adam_block, size - at)});
        });
}

void Adam::update(const Update& all, Range elements) const {
    const auto part = [&](const at::Tensor& flat) {
        return flat.narrow(0, elements.begin, elements.count);
    };
    const at::Tensor weights = part(all.weights.flat());
    at::_fused_adam_({weights}, {part(all.gradient)}, {part(first_.flat())}, {part(second_.flat())},
                     {}, {all.step_number}, options_.learning_rate, options_.beta1, options_.beta2,
                     0.0, options_.epsilon, false, false);
    if (mean_) part(mean_->flat()).mul_(ema_).add_(weights, 1 - ema_);
    if (all.compute_copy) part(all.compute_copy->flat()).copy_(weights);
}

}  // namespace civitas::parallel
