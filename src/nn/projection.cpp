#include "civitas/nn/projection.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/empty.h>

namespace civitas::nn {

at::Tensor projected(const at::Tensor& y_BK11, const at::Tensor& c_BK) {
    const std::int64_t batch = c_BK.size(0), numbers = c_BK.size(1);
    const at::Tensor host = y_BK11.to(at::kCPU, at::kDouble).contiguous();
    ensure(host.numel() == batch * (1 + numbers), "a discriminator gives 1 + K numbers an image");
    at::Tensor logits = at::empty({batch, 1, 1, 1}, at::kDouble);
    const auto* y = host.const_data_ptr<double>();
    const auto* c = c_BK.const_data_ptr<double>();
    auto* logit = logits.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < batch; ++i, y += 1 + numbers, c += numbers) {
        logit[i] = y[0];
        for (std::int64_t k = 0; k < numbers; ++k) logit[i] += c[k] * y[1 + k];
    }
    return logits;
}

at::Tensor projected_backward(const at::Tensor& g_B111, const at::Tensor& c_BK) {
    const std::int64_t batch = c_BK.size(0), numbers = c_BK.size(1);
    at::Tensor gradient = at::empty({batch, 1 + numbers, 1, 1}, at::kDouble);
    const auto* g = g_B111.const_data_ptr<double>();
    const auto* c = c_BK.const_data_ptr<double>();
    auto* slope = gradient.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < batch; ++i, c += numbers) {
        *slope++ = g[i];
        for (std::int64_t k = 0; k < numbers; ++k) *slope++ = c[k] * g[i];
    }
    return gradient;
}

}  // namespace civitas::nn
