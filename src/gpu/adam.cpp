#include "civitas/gpu/adam.hpp"

#include "kernels.hpp"

#include "civitas/base/error.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace civitas::gpu {

void adam(const AdamArrays& arrays, const AdamScales& scales, double mean_decay) {
    const at::Tensor& weights = arrays.weights;
    const auto checked = [&](const at::Tensor& array) -> const at::Tensor& {
        ensure(array.device() == weights.device() && array.is_cuda() && array.is_contiguous() &&
                   array.numel() == weights.numel(),
               "arrays of an update lie on one GPU and have one length");
        return array;
    };
    const auto numbers = [&](const at::Tensor& array) {
        return array.defined() ? checked(array).mutable_data_ptr<float>() : nullptr;
    };
    const at::Tensor &copy = arrays.compute_copy, &condition = arrays.condition;
    ensure(
        !condition.defined() || (condition.device() == weights.device() && condition.numel() == 1),
        "a condition is one number on the GPU of the weights");
    const c10::DeviceGuard on_gpu(weights.device());
    launch(AdamUpdate{{scales, static_cast<float>(mean_decay), static_cast<float>(1 - mean_decay),
                       weights.numel(), numbers(weights), numbers(arrays.gradient),
                       numbers(arrays.first), numbers(arrays.second), numbers(arrays.mean),
                       copy.defined() ? checked(copy).mutable_data_ptr<c10::BFloat16>() : nullptr,
                       condition.defined() ? condition.const_data_ptr<double>() : nullptr}},
           c10::cuda::getCurrentCUDAStream());
}

}  // namespace civitas::gpu
