#include "civitas/optim/optimizer.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/net/arena_layout.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <array>
#include <vector>

namespace civitas::optim {

using comm::part;

namespace {

/// The two lanes together have what walk() has at hand.
std::int64_t staged_at_once(const memory::OffloadMemory& memory, std::int64_t elements,
                            at::ScalarType type) {
    const auto window = memory.window() / static_cast<std::int64_t>(c10::elementSize(type));
    const std::int64_t of_lane = (std::min(window, elements) + 1) / 2;
    constexpr std::int64_t least = net::arena_alignment;
    return std::max(least, (of_lane + least - 1) / least * least);
}

kernels::AdamArrays part_of(const kernels::AdamArrays& all, Range some) {
    const auto of = [&](const at::Tensor& array) {
        return array.defined() ? part(array, some) : array;
    };
    return {of(all.weights), of(all.gradient), of(all.first),
            of(all.second),  of(all.mean),     of(all.compute_copy)};
}

/// Calls `work` with the blocks of some elements, on all threads.
void in_blocks(Range some, const std::function<void(Range)>& work) {
    const at::ThreadLocalState caller;
    const std::int64_t blocks = (some.count + adam_block - 1) / adam_block;
    at::parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
        const at::ThreadLocalStateGuard like_caller(caller);
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t begin = some.begin + block * adam_block;
            work({begin, std::min(adam_block, some.end() - begin)});
        }
    });
}

}  // namespace

Adam::Adam(const net::ArenaLayout& layout, const net::ArenaRuns& elements, AdamOptions options,
           at::ScalarType type, at::Device device, std::optional<double> ema,
           memory::OffloadMemory* offload_to)
    : options_(options),
      first_(layout, elements, type, device, offload_to),
      second_(layout, elements, type, device, offload_to) {
    if (offload_to != nullptr && !offload_to->serves(device))
        staged_ = std::make_unique<memory::StagedArrays>(
            device, staged_at_once(*offload_to, elements.count(), type));
    if (!ema) return;
    mean_.emplace(layout, elements, type, device, offload_to);
    ema_ = *ema;
}

Adam::~Adam() = default;

void Adam::start_mean(const at::Tensor& weights) {
    if (!mean_) return;
    const auto from = runs_in(weights, first_.elements());
    const auto to = runs_in(mean_->flat(), first_.elements());
    for (std::size_t run = 0; run < to.size(); ++run)
        memory::walk(mean_->offloaded_to(), std::array{to[run], from[run]},
                     [&](Range some) { part(to[run], some).copy_(part(from[run], some)); });
}

std::int64_t Adam::bytes() const {
    return first_.bytes() + second_.bytes() + (mean_ ? mean_->bytes() : 0);
}

bool Adam::updates_blocks() const { return !staged_ && first_.flat().is_cpu(); }

void Adam::step(const ArenaShard& weights, const at::Tensor& gradient,
                const at::Tensor& compute_copy) {
    step(weights, gradient, compute_copy,
         [&](std::size_t, const kernels::AdamArrays& all, Range some) {
             if (staged_)
                 update_staged(all, some, weights.offloaded_to() != nullptr);
             else
                 update_all(all, some);
         });
}

void Adam::step(const ArenaShard& weights, const GradientOfTerms& gradient,
                const at::Tensor& compute_copy) {
    ensure(updates_blocks(), "blocks of weights are updated where they lie");
    const bool fast = options_.kernels == net::KernelSet::fast;
    const at::Tensor sums =
        at::empty({at::get_num_threads(), adam_block}, weights.flat().options());
    const auto update_block = [&](std::size_t run, const kernels::AdamArrays& all, Range block) {
        auto arrays = part_of(all, block);
        arrays.gradient = sums[at::get_thread_num()].narrow(0, 0, block.count);
        const auto terms = gradient.terms(run, block);
        const auto bad = fast ? kernels::adam_of_sum(arrays, terms, factors())
                              : kernels::adam_of_sum_by_aten(arrays, terms, factors());
        if (bad) gradient.on_non_finite(run, block.begin + *bad);
    };
    step(weights, {}, compute_copy,
         [&](std::size_t run, const kernels::AdamArrays& all, Range some) {
             in_blocks(some, [&](Range block) { update_block(run, all, block); });
         });
}

void Adam::step(const ArenaShard& weights, const at::Tensor& gradient,
                const at::Tensor& compute_copy, const UpdateRun& update_run) {
    if (steps_ == 0) start_mean(weights.flat());
    ++steps_;
    const auto runs_of = [&](const at::Tensor& flat) {
        return flat.defined() ? runs_in(flat, first_.elements())
                              : std::vector<at::Tensor>(first_.elements().runs().size());
    };
    const auto w = runs_of(weights.flat()), g = runs_of(gradient), copy = runs_of(compute_copy);
    const auto m = runs_of(first_.flat()), v = runs_of(second_.flat());
    const auto mean = runs_of(mean_ ? mean_->flat() : at::Tensor());
    for (std::size_t run = 0; run < w.size(); ++run) {
        const kernels::AdamArrays all{w[run], g[run], m[run], v[run], mean[run], copy[run]};
        std::vector<at::Tensor> arrays{w[run], m[run], v[run]};
        if (mean_) arrays.push_back(mean[run]);
        memory::walk(first_.offloaded_to(), arrays,
                     [&](Range some) { update_run(run, all, some); });
    }
    if (staged_) staged_->finish();
}

void Adam::update_staged(const kernels::AdamArrays& all, Range some, bool weights) {
    using Arrays = kernels::AdamArrays;
    std::vector<at::Tensor Arrays::*> which{&Arrays::first, &Arrays::second};
    if (mean_) which.push_back(&Arrays::mean);
    if (weights) which.push_back(&Arrays::weights);
    std::vector<at::Tensor> arrays;
    for (const auto array : which) arrays.push_back(all.*array);
    staged_->update(arrays, some, [&](Range window, std::span<const at::Tensor> there) {
        Arrays here = part_of(all, window);
        for (std::size_t i = 0; i < which.size(); ++i) here.*which[i] = there[i];
        update_all(here, {0, window.count});
    });
}

void Adam::update_all(const kernels::AdamArrays& all, Range some) const {
    if (!all.weights.is_cpu()) return update(part_of(all, some));
    in_blocks(some, [&](Range block) { update(part_of(all, block)); });
}

void Adam::update(const kernels::AdamArrays& block) const {
    const auto by =
        options_.kernels == net::KernelSet::fast ? kernels::adam : kernels::adam_by_aten;
    by(block, factors());
}

kernels::AdamFactors Adam::factors() const {
    return {options_.learning_rate, options_.beta1, options_.beta2, options_.epsilon, ema_, steps_};
}

}  // namespace civitas::optim
