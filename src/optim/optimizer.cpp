#include "civitas/optim/optimizer.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/collectives.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/full.h>
#include <algorithm>
#include <array>
#include <vector>

namespace civitas::optim {

using comm::part;

Adam::Adam(const net::ArenaLayout& layout, Range elements, AdamOptions options, at::ScalarType type,
           at::Device device, std::optional<double> ema, OffloadFile* file)
    : options_(options),
      first_(layout, elements, type, device, file),
      second_(layout, elements, type, device, file) {
    if (!ema) return;
    mean_.emplace(layout, elements, type, device, file);
    ema_ = *ema;
}

void Adam::start_mean(const at::Tensor& weights) {
    if (!mean_) return;
    const std::array both{mean_->flat(), weights};
    walk(mean_->file(), both,
         [&](Range some) { part(mean_->flat(), some).copy_(part(weights, some)); });
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
    std::vector<at::Tensor> arrays{weights, first_.flat(), second_.flat()};
    if (mean_) arrays.push_back(mean_->flat());
    walk(first_.file(), arrays, [&](Range some) { update_all(all, some); });
}

void Adam::update_all(const Update& all, Range some) const {
    if (!all.weights.is_cpu()) return update(all, some);
    const at::ThreadLocalState caller;
    const std::int64_t blocks = (some.count + adam_block - 1) / adam_block;
    at::parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
        const at::ThreadLocalStateGuard like_caller(caller);
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t begin = some.begin + block * adam_block;
            update(all, {begin, std::min(adam_block, some.end() - begin)});
        }
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

}  // namespace civitas::optim
