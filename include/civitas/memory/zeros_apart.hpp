#pragma once
/// Memory of what lives as long as a run.
#include <ATen/core/Tensor.h>

namespace civitas::memory {

/// Zeros in pages of their own, which the system supplies when they are written to first. The heap
/// keeps what is freed in it for the next step; what lives as long as a run would lie between, and
/// leave holes that nothing fits into. Those that the options ask to be pinned are where that can
/// be done. Throws std::bad_alloc.
[[nodiscard]] at::Tensor zeros_apart(std::int64_t elements, const at::TensorOptions& options);

}  // namespace civitas::memory
