#pragma once
/// Images as they may lie in memory.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

namespace civitas::test {

/// A copy, channels-last, that lies one element off what vectors of a GPU are aligned to.
inline at::Tensor shifted(const at::Tensor& x) {
    const auto memory = at::empty({x.numel() + 1}, x.options());
    const auto images = x.contiguous(at::MemoryFormat::ChannelsLast);
    return memory.as_strided(images.sizes(), images.strides(), 1).copy_(images);
}

}  // namespace civitas::test
