#include "arena_view.hpp"

namespace civitas::optim {
namespace {

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
    if (shape.size() == 4)
        return {shape[1] * shape[2] * shape[3], 1, shape[3] * shape[1], shape[1]};
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    return strides;
}

}  // namespace

at::Tensor view_at(const at::Tensor& flat, std::int64_t offset,
                   const std::vector<std::int64_t>& shape) {
    return flat.as_strided(shape, strides_of(shape), flat.storage_offset() + offset);
}

}  // namespace civitas::optim
