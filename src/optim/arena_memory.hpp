#pragma once
/// Memory of arenas, and views of it.
#include <ATen/core/Tensor.h>
#include <vector>

namespace civitas::optim {

/// Zeros in pages of their own, which the system supplies when they are written to first. The heap
/// keeps what is freed in it for the next step; what lives as long as a run would lie between, and
/// leave holes that nothing fits into. Those that the options ask to be pinned are where that can
/// be done. Throws std::bad_alloc.
[[nodiscard]] at::Tensor zeros_apart(std::int64_t elements, const at::TensorOptions& options);

/// The elements of `flat` from `offset` on in this shape: four dims in channels-last order, others
/// contiguous.
[[nodiscard]] at::Tensor view_at(const at::Tensor& flat, std::int64_t offset,
                                 const std::vector<std::int64_t>& shape);

}  // namespace civitas::optim
