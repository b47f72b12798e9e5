#include "civitas/nn/projection.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace civitas::nn {

at::Tensor projected(const at::Tensor& y_BK11, const at::Tensor& c_BK) {
    if (!y_BK11.is_cpu()) return projected_by_aten(y_BK11, c_BK);
    const std::int64_t batch = c_BK.size(0), numbers = c_BK.size(1);
    const at::Tensor y_BK = y_BK11.to(at::kDouble).contiguous(), rows = c_BK.contiguous();
    ensure(y_BK.numel() == batch * (1 + numbers), "a discriminator gives 1 + K numbers an image");
    at::Tensor logits = at::empty({batch, 1, 1, 1}, at::kDouble);
    const auto* y = y_BK.const_data_ptr<double>();
    const auto* c = rows.const_data_ptr<double>();
    auto* logit = logits.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < batch; ++i, y += 1 + numbers, c += numbers) {
        logit[i] = y[0];
        for (std::int64_t k = 0; k < numbers; ++k) logit[i] += c[k] * y[1 + k];
    }
    return logits;
}

at::Tensor projected_by_aten(const at::Tensor& y_BK11, const at::Tensor& c_BK) {
    const at::Tensor y_BK = y_BK11.to(at::kDouble).flatten(1);
    const at::Tensor projections_B = y_BK.narrow(1, 1, c_BK.size(1)).mul(c_BK).sum(1);
    return y_BK.select(1, 0).add(projections_B).view({-1, 1, 1, 1});
}

at::Tensor projected_backward(const at::Tensor& g_B111, const at::Tensor& c_BK) {
    const at::Tensor g_B1 = g_B111.view({-1, 1});
    return at::cat({g_B1, c_BK.mul(g_B1)}, 1).view({c_BK.size(0), -1, 1, 1});
}

}  // namespace civitas::nn
