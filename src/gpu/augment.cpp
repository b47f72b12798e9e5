#include "civitas/gpu/augment.hpp"

#include "kernels.hpp"

#include "civitas/base/error.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace civitas::gpu {
namespace {

Number number_of(const at::Tensor& x) {
    const at::ScalarType type = x.scalar_type();
    ensure(type == at::kFloat || type == at::kDouble || type == at::kBFloat16,
           "images are fp32, fp64 or bf16");
    return type == at::kFloat ? Number::fp32 : type == at::kDouble ? Number::fp64 : Number::bf16;
}

Images images_of(const at::Tensor& x_BCHW) {
    ensure(x_BCHW.is_cuda() && x_BCHW.dim() == 4, "images lie on a GPU");
    ensure(x_BCHW.numel() < std::int64_t{1} << 32, "elements of images are counted in 32 bits");
    return {x_BCHW.data_ptr(),
            number_of(x_BCHW),
            {x_BCHW.size(0), x_BCHW.size(1), x_BCHW.size(2), x_BCHW.size(3)},
            {x_BCHW.stride(0), x_BCHW.stride(1), x_BCHW.stride(2), x_BCHW.stride(3)}};
}

Drawn drawn_of(const at::Tensor& drawn_BN, const at::Tensor& x_BCHW) {
    ensure(drawn_BN.is_cuda() && drawn_BN.scalar_type() == at::kDouble && drawn_BN.stride(1) == 1 &&
               drawn_BN.size(0) == x_BCHW.size(0),
           "a row is drawn for each image");
    return {drawn_BN.const_data_ptr<double>(), drawn_BN.stride(0)};
}

}  // namespace

void augment(const at::Tensor& drawn_BN, double noise, const at::Tensor& x_BCHW,
             const at::Tensor& y_BCHW) {
    ensure(x_BCHW.sizes() == y_BCHW.sizes(), "images keep their shape");
    const c10::DeviceGuard on_gpu(x_BCHW.device());
    launch_augment(images_of(x_BCHW), images_of(y_BCHW), drawn_of(drawn_BN, x_BCHW), noise,
                   c10::cuda::getCurrentCUDAStream());
}

void augment_backward(const at::Tensor& drawn_BN, const at::Tensor& g_BCHW,
                      const at::Tensor& gx_BCHW) {
    ensure(g_BCHW.sizes() == gx_BCHW.sizes() && g_BCHW.scalar_type() == gx_BCHW.scalar_type(),
           "images keep their shape and type");
    const c10::DeviceGuard on_gpu(g_BCHW.device());
    launch_augment_backward(images_of(g_BCHW), images_of(gx_BCHW), drawn_of(drawn_BN, g_BCHW),
                            c10::cuda::getCurrentCUDAStream());
}

}  // namespace civitas::gpu
