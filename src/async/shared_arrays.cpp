#include "shared_arrays.hpp"

#include "civitas/nn/parallel.hpp"

#include <ATen/ops/zeros_like.h>
#include <algorithm>

namespace civitas::async {
namespace {

using comm::part;
using optim::update_block;

/// What stays in the cache of a CPU, and what keeps all of a GPU busy for longer than a call takes.
std::int64_t slice_elements(at::Device device) {
    return device.is_cpu() ? update_block : std::int64_t{1} << 22;
}

std::size_t slices_of(const net::ArenaLayout& layout, std::int64_t slice) {
    return static_cast<std::size_t>((layout.size() + slice - 1) / slice);
}

// Of the shared arrays the weights come first, moments before the mean.
int moments_among(AsyncMoments sharing, const optim::OptimizerOptions& options) {
    return sharing == AsyncMoments::shared ? static_cast<int>(options.moments().size()) : 0;
}

at::Tensor some(const at::Tensor& flat, Range elements) {
    return flat.defined() ? part(flat, elements) : flat;
}

}  // namespace

SharedArrays::SharedArrays(const memory::SharedMemory& memory, const optim::Parameters& mine,
                           const optim::UpdaterOptions& options, AsyncMoments sharing)
    : memory_(memory),
      mine_(mine),
      rule_(options.optimizer, options.ema),
      sharing_(sharing),
      slice_(slice_elements(mine.device)),
      control_(memory.ranks(),
               static_cast<std::int64_t>(Turns::bytes_for(slices_of(mine.layout, slice_)) +
                                         sizeof(std::int64_t))),
      turns_(control_.bytes(), slices_of(mine.layout, slice_)),
      shared_(
          memory.zeros((1 + moments_among(sharing, options.optimizer) + (options.ema > 0 ? 1 : 0)) *
                           mine.layout.size(),
                       mine.masters.flat().scalar_type())),
      weights_(shared_array(0)),
      seen_(turns_.parts(), 0) {
    int place = 1;
    for (const std::string_view name : options.optimizer.moments())
        moments_.push_back({name, moment(place++)});
    if (options.ema > 0) mean_.emplace(shared_array(1 + moments_among(sharing, options.optimizer)));
    if (memory.ranks().is_root()) publish();
    memory.ranks().barrier();
}

optim::ArenaShard SharedArrays::shared_array(int place) const {
    const std::int64_t elements = mine_.layout.size();
    return {mine_.layout, part(shared_, {place * elements, elements}), memory_.ranks().size()};
}

optim::ArenaShard SharedArrays::moment(int place) const {
    if (sharing_ == AsyncMoments::shared) return shared_array(place);
    return {mine_.layout, at::zeros_like(mine_.masters.flat())};
}

void SharedArrays::each_slice(const std::function<void(std::size_t, Range)>& work) const {
    const std::size_t slices = turns_.parts();
    const auto rank = static_cast<std::size_t>(index(memory_.ranks().rank()));
    const auto work_on = [&](std::int64_t a, std::int64_t b) {
        for (std::int64_t i = a; i < b; ++i) {
            // Ranks begin apart, so that they seldom want the same slice.
            const std::size_t slice = (static_cast<std::size_t>(i) + rank * slices / 4) % slices;
            const std::int64_t begin = static_cast<std::int64_t>(slice) * slice_;
            work(slice, {begin, std::min(slice_, mine_.layout.size() - begin)});
        }
    };
    const auto all = static_cast<std::int64_t>(slices);
    if (mine_.device.is_cpu()) return nn::parallel_as_caller(all, work_on);
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
    const std::int64_t all = std::atomic_ref(counter()).fetch_add(1) + 1;
    const optim::UpdateNumber number{
        .of_weights = all, .of_moments = sharing_ == AsyncMoments::shared ? all : ++own_steps_};
    const auto moment_at = [&](std::size_t place) {
        return place < moments_.size() ? moments_[place].values.flat() : at::Tensor();
    };
    const at::Tensor first = moment_at(0), second = moment_at(1);
    const at::Tensor mean = mean_ ? mean_->flat() : at::Tensor();
    memory_.finish();  // nobody waits for a turn while the gradient is made
    each_slice([&](std::size_t slice, Range elements) {
        take_turn(slice, [&](std::uint64_t& version) {
            rule_.update({part(weights_.flat(), elements),
                          part(gradient, elements),
                          some(first, elements),
                          some(second, elements),
                          some(mean, elements),
                          {}},
                         number);
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
    const std::int64_t all = updates();
    if (sharing_ == AsyncMoments::shared || own_steps_ == 0 || own_steps_ == all) return;
    for (std::size_t i = 0; i < moments_.size(); ++i)
        moments_[i].values.flat().mul_(rule_.moment_scale(i, own_steps_, all));
    own_steps_ = all;
}

std::int64_t& SharedArrays::counter() const {
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
    std::atomic_ref(counter()).store(steps);
    own_steps_ = steps;
}

std::int64_t SharedArrays::bytes() const {
    std::int64_t bytes = mean_ ? mean_->bytes() : 0;
    for (const optim::Moment& moment : moments_) bytes += moment.values.bytes();
    return bytes;
}

}  // namespace civitas::async
