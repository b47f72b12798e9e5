#include "civitas/memory/pending_numbers.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace civitas::memory {

PendingNumbers::PendingNumbers(const std::vector<at::Tensor>& numbers) {
    const at::Tensor all = at::cat(numbers);
    ensure(all.scalar_type() == at::kDouble, "numbers for the host are doubles");
    if (all.is_cpu()) {
        host_ = all;
        return;
    }
    host_ = at::empty(all.sizes(), at::TensorOptions(at::kDouble).pinned_memory(true));
    host_.copy_(all, /*non_blocking=*/true);
    const at::Device device = all.device();
    copied_.emplace(device.type())
        .record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

std::span<const double> PendingNumbers::wait() const {
    if (copied_) copied_->synchronize();
    return {host_.const_data_ptr<double>(), static_cast<std::size_t>(host_.numel())};
}

}  // namespace civitas::memory
