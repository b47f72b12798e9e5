#include "civitas/gpu/finite.hpp"

#include "kernels.hpp"

#include "civitas/base/error.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace civitas::gpu {

void spoil_unless_finite(const at::Tensor& values, const at::Tensor& number) {
    ensure(values.is_cuda() && values.is_contiguous() && number.device() == values.device() &&
               number.numel() == 1,
           "numbers are looked at on the GPU where they lie");
    const c10::DeviceGuard on_gpu(values.device());
    const auto look = [&](auto type) {
        using T = decltype(type);
        launch(FiniteStep<T>{values.const_data_ptr<T>(), values.numel(),
                             number.mutable_data_ptr<double>()},
               c10::cuda::getCurrentCUDAStream());
    };
    values.scalar_type() == at::kDouble ? look(double{}) : look(float{});
}

}  // namespace civitas::gpu
