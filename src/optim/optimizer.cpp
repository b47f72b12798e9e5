#include "civitas/optim/optimizer.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/net/arena_layout.hpp"
#include "civitas/nn/parallel.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <array>
#include <vector>

namespace civitas::optim {

using comm::part;

namespace {

constexpr std::array<at::Tensor updates::UpdateArrays::*, 2> places_of_moments{
    &updates::UpdateArrays::first, &updates::UpdateArrays::second};

/// The two lanes together have what walk() has at hand.
std::int64_t staged_at_once(const memory::OffloadMemory& memory, std::int64_t elements,
                            at::ScalarType type) {
    const auto window = memory.window() / static_cast<std::int64_t>(c10::elementSize(type));
    const std::int64_t of_lane = (std::min(window, elements) + 1) / 2;
    constexpr std::int64_t least = net::arena_alignment;
    return std::max(least, (of_lane + least - 1) / least * least);
}

updates::UpdateArrays part_of(const updates::UpdateArrays& all, Range some) {
    const auto of = [&](const at::Tensor& array) {
        return array.defined() ? part(array, some) : array;
    };
    return {of(all.weights), of(all.gradient),     of(all.first), of(all.second),
            of(all.mean),    of(all.compute_copy), all.condition};
}

/// Calls `work` with the blocks of some elements, on all threads.
void in_blocks(Range some, const std::function<void(Range)>& work) {
    const std::int64_t blocks = (some.count + update_block - 1) / update_block;
    nn::parallel_as_caller(blocks, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t begin = some.begin + block * update_block;
            work({begin, std::min(update_block, some.end() - begin)});
        }
    });
}

}  // namespace

Optimizer::Optimizer(const net::ArenaLayout& layout, const net::ArenaRuns& elements,
                     const OptimizerOptions& options, at::ScalarType type, at::Device device,
                     std::optional<double> ema, memory::OffloadMemory* offload_to)
    : rule_(options, ema.value_or(0)),
      elements_(elements),
      device_(device),
      offload_to_(offload_to) {
    for (const std::string_view name : options.moments())
        moments_.push_back({name, {layout, elements, type, device, offload_to}});
    if (offload_to != nullptr && !offload_to->serves(device))
        staged_ = std::make_unique<memory::StagedArrays>(
            device, staged_at_once(*offload_to, elements.count(), type));
    if (ema) mean_.emplace(layout, elements, type, device, offload_to);
}

Optimizer::~Optimizer() = default;

void Optimizer::start_mean(const at::Tensor& weights) {
    if (!mean_) return;
    const auto from = runs_in(weights, elements_);
    const auto to = runs_in(mean_->flat(), elements_);
    for (std::size_t run = 0; run < to.size(); ++run)
        memory::walk(mean_->offloaded_to(), std::array{to[run], from[run]},
                     [&](Range some) { part(to[run], some).copy_(part(from[run], some)); });
}

std::int64_t Optimizer::bytes() const {
    std::int64_t bytes = mean_ ? mean_->bytes() : 0;
    for (const Moment& moment : moments_) bytes += moment.values.bytes();
    return bytes;
}

void Optimizer::step(const ArenaShard& weights, const at::Tensor& gradient,
                     const at::Tensor& compute_copy, const at::Tensor& condition) {
    step(weights, gradient, compute_copy, [&](std::size_t, updates::UpdateArrays all, Range some) {
        all.condition = condition;
        staged_ ? update_staged(all, some, weights.offloaded_to() != nullptr)
                : update_all(all, some);
    });
}

void Optimizer::step(const ArenaShard& weights, const GradientOfTerms& gradient,
                     const at::Tensor& compute_copy) {
    ensure(updates_blocks(), "blocks of weights are updated where they lie");
    const at::Tensor sums =
        at::empty({at::get_num_threads(), update_block}, weights.flat().options());
    const auto update_by_sum = [&](std::size_t run, const updates::UpdateArrays& all, Range block) {
        auto arrays = part_of(all, block);
        arrays.gradient = sums[at::get_thread_num()].narrow(0, 0, block.count);
        const auto terms = gradient.terms(run, block);
        if (const auto bad = rule_.update_by_sum(arrays, terms, number()))
            gradient.on_non_finite(run, block.begin + *bad);
    };
    step(weights, {}, compute_copy,
         [&](std::size_t run, const updates::UpdateArrays& all, Range some) {
             in_blocks(some, [&](Range block) { update_by_sum(run, all, block); });
         });
}

void Optimizer::step(const ArenaShard& weights, const at::Tensor& gradient,
                     const at::Tensor& compute_copy, const UpdateRun& update_run) {
    if (steps_ == 0) start_mean(weights.flat());
    ++steps_;
    const auto runs_of = [&](const at::Tensor& flat) {
        return flat.defined() ? runs_in(flat, elements_)
                              : std::vector<at::Tensor>(elements_.runs().size());
    };
    const auto w = runs_of(weights.flat()), g = runs_of(gradient), copy = runs_of(compute_copy);
    const auto mean = runs_of(mean_ ? mean_->flat() : at::Tensor());
    for (std::size_t run = 0; run < w.size(); ++run) {
        updates::UpdateArrays all{w[run], g[run], {}, {}, mean[run], copy[run]};
        std::vector<at::Tensor> arrays{w[run]};
        for (std::size_t i = 0; i < moments_.size(); ++i) {
            all.*places_of_moments.at(i) = runs_in(moments_[i].values.flat(), elements_)[run];
            arrays.push_back(all.*places_of_moments.at(i));
        }
        if (mean_) arrays.push_back(mean[run]);
        memory::walk(offload_to_, arrays, [&](Range some) { update_run(run, all, some); });
    }
    if (staged_) staged_->finish();
}

void Optimizer::update_staged(const updates::UpdateArrays& all, Range some, bool weights) {
    using Arrays = updates::UpdateArrays;
    std::vector<at::Tensor Arrays::*> which(
        places_of_moments.begin(),
        places_of_moments.begin() + static_cast<std::ptrdiff_t>(moments_.size()));
    if (mean_) which.push_back(&Arrays::mean);
    if (weights) which.push_back(&Arrays::weights);
    if (which.empty()) return update_all(all, some);
    std::vector<at::Tensor> arrays;
    for (const auto array : which) arrays.push_back(all.*array);
    staged_->update(arrays, some, [&](Range window, std::span<const at::Tensor> there) {
        Arrays here = part_of(all, window);
        for (std::size_t i = 0; i < which.size(); ++i) here.*which[i] = there[i];
        update_all(here, {0, window.count});
    });
}

void Optimizer::update_all(const updates::UpdateArrays& all, Range some) const {
    if (!all.weights.is_cpu()) return update(part_of(all, some));
    in_blocks(some, [&](Range block) { update(part_of(all, block)); });
}

}  // namespace civitas::optim
