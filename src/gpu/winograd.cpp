#include "civitas/gpu/winograd.hpp"

#include "winograd_kernels.hpp"
#include "winograd_passes.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace civitas::gpu {
namespace {

/// Launches steps on the current stream of the images' GPU.
auto launching(const at::Tensor& images) {
    ensure(images.is_cuda(), "images lie on a GPU");
    return [stream = c10::cuda::getCurrentCUDAStream(images.device().index())](std::int64_t count,
                                                                               const auto& step) {
        winograd::launch(count, step, stream.stream());
    };
}

}  // namespace

at::Tensor winograd_down(const at::Tensor& big, const at::Tensor& weight) {
    const c10::DeviceGuard on_gpu(big.device());
    return winograd::down(big, weight, launching(big));
}

at::Tensor winograd_up(const at::Tensor& small, const at::Tensor& weight) {
    const c10::DeviceGuard on_gpu(small.device());
    return winograd::up(small, weight, launching(small));
}

void winograd_weight_gradient(const at::Tensor& big, const at::Tensor& small,
                              const at::Tensor& leaf) {
    const c10::DeviceGuard on_gpu(big.device());
    winograd::weight_gradient(big, small, leaf, launching(big));
}

}  // namespace civitas::gpu
