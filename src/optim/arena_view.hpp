#pragma once
/// Views of an arena.
#include <ATen/core/Tensor.h>
#include <vector>

namespace civitas::optim {

/// The elements of `flat` from `offset` on in this shape: four dims are channels-last.
[[nodiscard]] at::Tensor view_at(const at::Tensor& flat, std::int64_t offset,
                                 const std::vector<std::int64_t>& shape);

}  // namespace civitas::optim
