#include "civitas/tasks/step_inputs.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <exception>
#include <vector>

namespace civitas::tasks {
namespace {

/// Lets a stream wait for what another has been given so far.
void let_wait(const c10::Stream& stream, const c10::Stream& for_other) {
    c10::Event given(for_other.device_type());
    given.record(for_other);
    given.block(stream);
}

c10::Stream computing(at::Device device) {
    return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

}  // namespace

StepInputs::StepInputs(at::Device device) : device_(device) {
    if (!device.is_cpu())
        beside_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

StepInputs::~StepInputs() {
    if (!beside_) return;
    try {
        c10::impl::VirtualGuardImpl(device_.type()).synchronizeStream(*beside_);
    } catch (const std::exception&) {
        // An error of the device was met, and told, where somebody waited for it.
    }
}

void StepInputs::put_draws(const std::map<Visit, at::Tensor>& drawn) {
    std::vector<at::Tensor> flat;
    for (const auto& [visit, numbers] : drawn) flat.push_back(numbers.flatten());
    const at::Tensor all = at::cat(flat);
    if (!all_draws_.defined()) {
        all_draws_ = at::empty_like(all, all.options().device(device_));
        std::int64_t begin = 0;
        for (const auto& [visit, numbers] : drawn) {
            draws_[visit] = all_draws_.narrow(0, begin, numbers.numel()).view_as(numbers);
            begin += numbers.numel();
        }
    }
    copy(all, all_draws_);
}

void StepInputs::put_tiles(LocalMicroBatch micro, const at::Tensor& x_BCHW) {
    copy(x_BCHW, place_in(tiles_, micro, x_BCHW));
}

at::Tensor& StepInputs::place_in(Tiles& tiles, LocalMicroBatch micro,
                                 const at::Tensor& like) const {
    at::Tensor& place = tiles[micro];
    if (!place.defined()) place = at::empty_like(like, like.options().device(device_));
    return place;
}

void StepInputs::put_tiles_ahead(LocalMicroBatch micro, const at::Tensor& x_BCHW) {
    const bool is_new = !ahead_.contains(micro);
    const at::Tensor& to = place_in(ahead_, micro, x_BCHW);
    if (!beside_) return copy(x_BCHW, to);
    if (is_new)
        let_wait(*beside_, computing(device_));  // for whatever had this memory before
    else if (taken_)
        taken_->block(*beside_);
    const c10::StreamGuard on_beside(*beside_);
    copy(x_BCHW, to);
}

void StepInputs::take_tiles_ahead() {
    if (beside_) let_wait(computing(device_), *beside_);
    for (const auto& [micro, x_BCHW] : ahead_) place_in(tiles_, micro, x_BCHW).copy_(x_BCHW);
    if (beside_) taken_.emplace(device_.type()).record(computing(device_));
}

// Pinned memory that is let go here is used again when the device has read it.
void StepInputs::copy(const at::Tensor& from, const at::Tensor& to) const {
    const bool pins = device_.is_cuda() && !from.is_pinned();
    to.copy_(pins ? from.pin_memory() : from, /*non_blocking=*/device_.is_cuda());
}

}  // namespace civitas::tasks
