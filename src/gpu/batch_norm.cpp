#include "civitas/gpu/batch_norm.hpp"

#include "kernels.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/BFloat16.h>

namespace civitas::gpu {
namespace {

RowSizes sizes_of(const at::Tensor& x) {
    ensure(x.is_cuda() && x.is_contiguous(at::MemoryFormat::ChannelsLast),
           "images lie on a GPU, channels-last");
    const std::int64_t rows = x.size(0) * x.size(2) * x.size(3);
    constexpr std::int64_t most = std::int64_t{1} << 30;
    ensure(rows > 0 && rows < most && x.size(1) > 0 && x.size(1) < most / most_chunks,
           "images have pixels that GPUs count in 32 bits");
    return {static_cast<int>(rows), static_cast<int>(x.size(1))};
}

const float* numbers_of(const at::Tensor& values_C, const RowSizes& sizes) {
    ensure(values_C.is_cuda() && values_C.is_contiguous() && values_C.numel() == sizes.channels,
           "one number per channel");
    return values_C.const_data_ptr<float>();
}

at::Tensor workspace_on(const at::Tensor& x, const RowSizes& sizes) {
    return at::empty({workspace_for(sizes)}, x.options().dtype(at::kFloat));
}

Norm norm_of(const Normalising& norm, const RowSizes& sizes) {
    return {numbers_of(norm.weight_C, sizes), numbers_of(norm.bias_C, sizes),
            static_cast<float>(norm.slope)};
}

/// Calls `work` with a value of the type of x.
template <class Work>
void with_type_of(const at::Tensor& x, const Work& work) {
    if (x.scalar_type() == at::kBFloat16) return work(c10::BFloat16());
    work(float{});
}

}  // namespace

Moments batch_norm_forward(const at::Tensor& x, const Normalising& norm, const at::Tensor& y) {
    const c10::DeviceGuard on_gpu(x.device());
    const RowSizes sizes = sizes_of(x);
    ensure(sizes.rows > 1, "a variance needs two values");
    const auto by_channel = [&] { return at::empty_like(norm.weight_C); };
    Moments made{by_channel(), by_channel(), by_channel()};
    const at::Tensor workspace = workspace_on(x, sizes);
    with_type_of(x, [&](auto number) {
        using T = decltype(number);
        launch(NormForward<T>{sizes, norm_of(norm, sizes), static_cast<float>(norm.epsilon),
                              x.const_data_ptr<T>(), y.mutable_data_ptr<T>(),
                              made.mean_C.mutable_data_ptr<float>(),
                              made.inverse_deviation_C.mutable_data_ptr<float>(),
                              made.unbiased_variance_C.mutable_data_ptr<float>(),
                              workspace.mutable_data_ptr<float>()},
               c10::cuda::getCurrentCUDAStream());
    });
    return made;
}

NormGradients batch_norm_backward(const at::Tensor& gy, const at::Tensor& x,
                                  const at::Tensor& mean_C, const at::Tensor& inverse_deviation_C,
                                  const Normalising& norm, const at::Tensor& gx) {
    const c10::DeviceGuard on_gpu(x.device());
    const RowSizes sizes = sizes_of(x);
    NormGradients made{at::empty_like(norm.weight_C), at::empty_like(norm.bias_C)};
    const at::Tensor workspace = workspace_on(x, sizes);
    with_type_of(x, [&](auto number) {
        using T = decltype(number);
        launch(NormBackward<T>{sizes, norm_of(norm, sizes), numbers_of(mean_C, sizes),
                               numbers_of(inverse_deviation_C, sizes), x.const_data_ptr<T>(),
                               gy.const_data_ptr<T>(), gx.mutable_data_ptr<T>(),
                               made.weight_C.mutable_data_ptr<float>(),
                               made.bias_C.mutable_data_ptr<float>(),
                               workspace.mutable_data_ptr<float>()},
               c10::cuda::getCurrentCUDAStream());
    });
    return made;
}

}  // namespace civitas::gpu
