#include "civitas/optim/optimizer.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/kernels/adam.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <algorithm>
#include <array>
#include <vector>

namespace civitas::optim {

using comm::part;

Adam::Adam(const net::ArenaLayout& layout, const net::ArenaRuns& elements, AdamOptions options,
           at::ScalarType type, at::Device device, std::optional<double> ema, OffloadFile* file)
    : options_(options),
      first_(layout, elements, type, device, file),
      second_(layout, elements, type, device, file) {
    if (!ema) return;
    mean_.emplace(layout, elements, type, device, file);
    ema_ = *ema;
}

void Adam::start_mean(const at::Tensor& weights) {
    if (!mean_) return;
    const auto from = runs_in(weights, first_.elements());
    const auto to = runs_in(mean_->flat(), first_.elements());
    for (std::size_t run = 0; run < to.size(); ++run)
        walk(mean_->file(), std::array{to[run], from[run]},
             [&](Range some) { part(to[run], some).copy_(part(from[run], some)); });
}

std::int64_t Adam::bytes() const {
    return first_.bytes() + second_.bytes() + (mean_ ? mean_->bytes() : 0);
}

void Adam::step(const at::Tensor& weights, const at::Tensor& gradient,
                const at::Tensor& compute_copy) {
    if (steps_ == 0) start_mean(weights);
    ++steps_;
    const auto runs_of = [&](const at::Tensor& flat) {
        return flat.defined() ? runs_in(flat, first_.elements())
                              : std::vector<at::Tensor>(first_.elements().runs().size());
    };
    const auto w = runs_of(weights), g = runs_of(gradient), copy = runs_of(compute_copy);
    const auto m = runs_of(first_.flat()), v = runs_of(second_.flat());
    const auto mean = runs_of(mean_ ? mean_->flat() : at::Tensor());
    for (std::size_t run = 0; run < w.size(); ++run) {
        const Update all{w[run], g[run], m[run], v[run], mean[run], copy[run]};
        std::vector<at::Tensor> arrays{w[run], m[run], v[run]};
        if (mean_) arrays.push_back(mean[run]);
        walk(first_.file(), arrays, [&](Range some) { update_all(all, some); });
    }
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
    const auto of = [&](const at::Tensor& array) {
        return array.defined() ? part(array, block) : array;
    };
    const auto by =
        options_.kernels == net::KernelSet::fast ? kernels::adam : kernels::adam_by_aten;
    by({of(all.weights), of(all.gradient), of(all.first_moment), of(all.second_moment),
        of(all.mean), of(all.compute_copy)},
       {options_.learning_rate, options_.beta1, options_.beta2, options_.epsilon, ema_, steps_});
}

}  // namespace civitas::optim
