#include "staging.hpp"

#include <ATen/ops/empty_like.h>

namespace civitas::comm {

at::TensorOptions host_options(const at::Tensor& tensor) {
    return tensor.options().device(at::kCPU).pinned_memory(tensor.is_cuda());
}

at::Tensor host_buffer(const at::Tensor& tensor) {
    if (tensor.is_cpu()) return tensor;
    return at::empty_like(tensor, host_options(tensor));
}

at::Tensor on_host(const at::Tensor& tensor) {
    return tensor.is_cpu() ? tensor : host_buffer(tensor).copy_(tensor);
}

// The allocator of pinned memory gives none away before the copies from it are done.
at::Tensor filled(const at::Tensor& tensor, const at::Tensor& buffer) {
    return tensor.is_cpu() ? tensor : tensor.copy_(buffer, /*non_blocking=*/true);
}

}  // namespace civitas::comm
