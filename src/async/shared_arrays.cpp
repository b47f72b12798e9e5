#include "shared_arrays.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <cmath>

namespace civitas::async {
namespace {

using comm::part;
using optim::adam_block;

/// What stays in the cache of a CPU, and what keeps all of a GPU busy for longer than a call takes.
std::int64_t slice_elements(at::Device device) {
    return device.is_cpu() ? adam_block : std::int64_t{1} << 22;
}

std::size_t slices_of(const net::ArenaLayout& layout, std::int64_t slice) {
    return static_cast<std::size_t>((layout.size() + slice - 1) / slice);
}

// Of the shared arrays the weights come first, moments before the mean.
int moments_among(AsyncMoments moments) { return moments == AsyncMoments::shared ? 2 : 0; }

at::Tensor some(const at::Tensor& flat, Range elements) {
    return flat.defined() ? part(flat, elements) : flat;
}

}  // namespace

SharedArrays::SharedArrays(const memory::SharedMemory& memory, const optim::Parameters& mine,
                           const optim::UpdaterOptions& options, AsyncMoments moments)
    : memory_(memory),
      mine_(mine),
      adam_(options.adam),
      ema_(options.ema),
      moments_(moments),
      slice_(slice_elements(mine.device)),
      control_(memory.ranks(),
               static_cast<std::int64_t>(Turns::bytes_for(slices_of(mine.layout, slice_)) +
                                         sizeof(std::int64_t))),
      turns_(control_.bytes(), slices_of(mine.layout, slice_)),
      shared_(memory.zeros((1 + moments_among(moments) + (ema_ > 0 ? 1 : 0)) * mine.layout.size(),
                           mine.masters.flat().scalar_type())),
      weights_(shared_array(0)),
      first_(moment(1)),
      second_(moment(2)),
      seen_(turns_.parts(), 0) {
    if (ema_ > 0) mean_.emplace(shared_array(1 + moments_among(moments)));
    if (memory.ranks().is_root()) publish();
    memory.ranks().barrier();
}

optim::ArenaShard SharedArrays::shared_array(int place) const {
    const std::int64_t elements = mine_.layout.size();
    return {mine_.layout, part(shared_, {place * elements, elements}), memory_.ranks().size()};
}

optim::ArenaShard SharedArrays::moment(int place) const {
    if (moments_ == AsyncMoments::shared) return shared_array(place);
    return {mine_.layout, at::zeros_like(mine_.masters.flat())};
}

void SharedArrays::each_slice(const std::function<void(std::size_t, Range)>& work) const {
    const at::ThreadLocalState caller;
    const std::size_t slices = turns_.parts();
    const auto rank = static_cast<std::size_t>(index(memory_.ranks().rank()));
    const auto work_on = [&](std::int64_t a, std::int64_t b) {
        const at::ThreadLocalStateGuard like_caller(caller);
        for (std::int64_t i = a; i < b; ++i) {
            // Ranks begin apart, so that they seldom want the same slice.
            const std::size_t slice = (static_cast<std::size_t>(i) + rank * slices / 4) % slices;
            const std::int64_t begin = static_cast<std::int64_t>(slice) * slice_;
            work(slice, {begin, std::min(slice_, mine_.layout.size() - begin)});
        }
    };
    const auto all = static_cast<std::int64_t>(slices);
    if (mine_.device.is_cpu()) return at::parallel_for(0, all, 1, work_on);
    work_on(0, all);
}

template <class Work>
void SharedArrays::take_turn(std::size_t slice, Work&& work) {
    turns_.take(slice, [&](std::uint64_t& version) {
        work(version);
        memory_.finish();
        seen_[slice] = version;
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
    memory_.finish();  // nobody waits for a turn while the gradient is made
    each_slice([&](std::size_t slice, Range elements) {
        take_turn(slice, [&](std::uint64_t& version) {
            by({part(weights_.flat(), elements),
                part(gradient, elements),
                part(first_.flat(), elements),
                part(second_.flat(), elements),
                some(mean, elements),
                {}},
               factors);
            copy_here(elements);
            ++version;
        });
    });
}

void SharedArrays::refresh() {
    each_slice([&](std::size_t slice, Range elements) {
        if (turns_.version(slice) == seen_[slice]) return;
        take_turn(slice, [&](std::uint64_t& /*version*/) { copy_here(elements); });
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
        take_turn(slice, [&](std::uint64_t& version) {
            part(weights_.flat(), elements).copy_(part(mine_.masters.flat(), elements));
            ++version;
        });
    });
}

void SharedArrays::start_mean() {
    if (!mean_) return;
    mean_->flat().copy_(mine_.masters.flat());
    memory_.finish();
}

void SharedArrays::set_steps(std::int64_t steps) {
    std::atomic_ref(updates()).store(steps);
    own_steps_ = steps;
}

std::int64_t SharedArrays::bytes() const {
    return first_.bytes() + second_.bytes() + (mean_ ? mean_->bytes() : 0);
}

}  // namespace civitas::async
