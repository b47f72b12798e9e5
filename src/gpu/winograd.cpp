#include "civitas/gpu/winograd.hpp"

#include "multiply.hpp"
#include "winograd_kernels.hpp"
#include "winograd_passes.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace civitas::gpu {
namespace {

/// The current stream of the images' GPU.
class Gpu {
public:
    explicit Gpu(const at::Tensor& images)
        : stream_(c10::cuda::getCurrentCUDAStream(images.device().index())) {
        ensure(images.is_cuda(), "images lie on a GPU");
    }

    template <class Step>
    void launch(std::int64_t count, const Step& step) const {
        winograd::launch(count, step, stream_.stream());
    }
    [[nodiscard]] static at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
        return gpu::multiply(a, b);
    }

private:
    c10::cuda::CUDAStream stream_;
};

}  // namespace

at::Tensor winograd_down(const at::Tensor& big, const at::Tensor& weight) {
    const c10::DeviceGuard on_gpu(big.device());
    return winograd::down(big, weight, Gpu(big));
}

at::Tensor winograd_up(const at::Tensor& small, const at::Tensor& weight) {
    const c10::DeviceGuard on_gpu(small.device());
    return winograd::up(small, weight, Gpu(small));
}

void winograd_weight_gradient(const at::Tensor& big, const at::Tensor& small,
                              const at::Tensor& leaf) {
    const c10::DeviceGuard on_gpu(big.device());
    winograd::weight_gradient(big, small, leaf, Gpu(big));
}

}  // namespace civitas::gpu
