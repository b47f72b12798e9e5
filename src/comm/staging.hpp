#pragma once
/// Tensors of a device on their way through host memory, which is pinned then. MPI reads and writes
/// host memory only.
#include <ATen/core/Tensor.h>

namespace civitas::comm {

/// Of numbers like those of `tensor` in host memory.
[[nodiscard]] at::TensorOptions host_options(const at::Tensor& tensor);
/// Host memory for what `tensor` holds, in its layout: itself where it lies there.
[[nodiscard]] at::Tensor host_buffer(const at::Tensor& tensor);
/// The same values in host memory, waited for.
[[nodiscard]] at::Tensor on_host(const at::Tensor& tensor);
/// `tensor` with the values of its host_buffer().
[[nodiscard]] at::Tensor filled(const at::Tensor& tensor, const at::Tensor& buffer);

}  // namespace civitas::comm
