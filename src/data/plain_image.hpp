#pragma once
/// Images as arrays that a loop over floats reads.
#include <ATen/core/Tensor.h>

namespace civitas::data {

/// On the CPU, fp32, channel by channel; the image itself where it is like that.
inline at::Tensor plain(const at::Tensor& image_CHW) {
    return image_CHW.detach().to(at::kCPU, at::kFloat).contiguous();
}

}  // namespace civitas::data
