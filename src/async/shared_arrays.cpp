#include "shared_arrays.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cmath>

namespace civitas::async {
namespace {

using comm::part;
using optim::adam_block;

std::size_t slices_of(const net::ArenaLayout& layout) {
    return static_cast<std::size_t>((layout.size() + adam_block - 1) / adam_block);
}

/// In memory of the node where `shared`, else of this rank.
optim::ArenaShard array_of(const comm::NodeCollectives& node, const optim::Parameters& like,
                           bool shared) {
    const auto type = like.masters.flat().scalar_type();
    const std::int64_t elements = like.layout.size();
    if (shared) return {like.layout, node.node_tensor(elements, type), node.size()};
    return {like.layout, at::zeros({elements}, type)};
}

at::Tensor some(const at::Tensor& flat, Range elements) {
    return flat.defined() ? part(flat, elements) : flat;
}

}  // namespace

SharedArrays::SharedArrays(const comm::NodeCollectives& node, const optim::Parameters& mine,
                           const optim::UpdaterOptions& options, AsyncMoments moments)
    : mine_(mine),
      adam_(options.adam),
      ema_(options.ema),
      moments_(moments),
      rank_(static_cast<std::size_t>(index(node.rank()))),
      control_(node.ranks(), static_cast<std::int64_t>(Turns::bytes_for(slices_of(mine.layout)) +
                                                       sizeof(std::int64_t))),
      turns_(control_.bytes(), slices_of(mine.layout)),
      weights_(array_of(node, mine, true)),
      first_(array_of(node, mine, moments == AsyncMoments::shared)),
      second_(array_of(node, mine, moments == AsyncMoments::shared)),
      seen_(turns_.parts(), 0) {
    if (ema_ > 0) mean_.emplace(array_of(node, mine, true));
    if (node.ranks().is_root()) publish();
    node.ranks().barrier();
}

void SharedArrays::each_slice(const std::function<void(std::size_t, Range)>& work) const {
    const at::ThreadLocalState caller;
    const std::size_t slices = turns_.parts();
    at::parallel_for(0, static_cast<std::int64_t>(slices), 1, [&](std::int64_t a, std::int64_t b) {
        const at::ThreadLocalStateGuard like_caller(caller);
        for (std::int64_t i = a; i < b; ++i) {
            // Ranks begin apart, so that they seldom want the same slice.
            const std::size_t slice = (static_cast<std::size_t>(i) + rank_ * slices / 4) % slices;
            const std::int64_t begin = static_cast<std::int64_t>(slice) * adam_block;
            work(slice, {begin, std::min(adam_block, mine_.layout.size() - begin)});
        }
    });
}

void SharedArrays::copy_here(Range elements) const {
    const at::Tensor from = part(weights_.flat(), elements);
    part(mine_.masters.flat(), elements).copy_(from);
    if (mine_.compute_copy != nullptr) part(mine_.compute_copy->flat(), elements).copy_(from);
}

void SharedArrays::update(const at::Tensor& gradient) {
    const std::int64_t all = std::atomic_ref(updates()).fetch_add(1) + 1;
    const std::int64_t steps = moments_ == AsyncMoments::shared ? all : ++own_steps_;
    const kernels::AdamFactors factors{adam_.learning_rate, adam_.beta1, adam_.beta2,
                                       adam_.epsilon,       ema_,        steps};
    const auto update =
        adam_.kernels == net::KernelSet::fast ? kernels::adam : kernels::adam_by_aten;
    void (*const by)(const kernels::AdamArrays&, const kernels::AdamFactors&) = update;
    const at::Tensor mean = mean_ ? mean_->flat() : at::Tensor();
    each_slice([&](std::size_t slice, Range elements) {
        turns_.take(slice, [&](std::uint64_t& version) {
            by({part(weights_.flat(), elements),
                part(gradient, elements),
                part(first_.flat(), elements),
                part(second_.flat(), elements),
                some(mean, elements),
                {}},
               factors);
            copy_here(elements);
            seen_[slice] = ++version;
        });
    });
}

void SharedArrays::refresh() {
    each_slice([&](std::size_t slice, Range elements) {
        if (turns_.version(slice) == seen_[slice]) return;
        turns_.take(slice, [&](std::uint64_t& version) {
            copy_here(elements);
            seen_[slice] = version;
        });
    });
}

void SharedArrays::rest() {
    const std::int64_t all = std::atomic_ref(updates()).load();
    if (moments_ == AsyncMoments::shared || own_steps_ == 0 || own_steps_ == all) return;
    const auto scale = [&](double beta) {
        return (1 - std::pow(beta, static_cast<double>(all))) /
               (1 - std::pow(beta, static_cast<double>(own_steps_)));
    };
    first_.flat().mul_(scale(adam_.beta1));
    second_.flat().mul_(scale(adam_.beta2));
    own_steps_ = all;
}

std::int64_t& SharedArrays::updates() const {
    return *reinterpret_cast<std::int64_t*>(control_.bytes().data() +
                                            Turns::bytes_for(turns_.parts()));
}

void SharedArrays::publish() {
    each_slice([&](std::size_t slice, Range elements) {
        turns_.take(slice, [&](std::uint64_t& version) {
            part(weights_.flat(), elements).copy_(part(mine_.masters.flat(), elements));
            seen_[slice] = ++version;
        });
    });
}

void SharedArrays::start_mean() {
    if (mean_) mean_->flat().copy_(mine_.masters.flat());
}

void SharedArrays::set_steps(std::int64_t steps) {
    std::atomic_ref(updates()).store(steps);
    own_steps_ = steps;
}

std::int64_t SharedArrays::bytes() const {
    return first_.bytes() + second_.bytes() + (mean_ ? mean_->bytes() : 0);
}

}  // namespace civitas::async
