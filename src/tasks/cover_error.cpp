#include "civitas/tasks/cover_error.hpp"

#include "civitas/base/condition_kind.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <array>
#include <vector>

namespace civitas::tasks {
namespace {

/// Of the channels that a share is asked of, in their order.
std::array<conditions::Scale, cover_shares> scales_of(const conditions::CoverScale& scale) {
    return {scale.building, scale.road};
}

double mean_of(const at::Tensor& plane_HW) {
    const auto* values = plane_HW.const_data_ptr<double>();
    double sum = 0;
    for (std::int64_t i = 0; i < plane_HW.numel(); ++i) sum += values[i];
    return sum / static_cast<double>(plane_HW.numel());
}

}  // namespace

at::Tensor cover_errors(const conditions::CoverScale& scale, const at::Tensor& x_BCHW,
                        const at::Tensor& c_BK) {
    if (!x_BCHW.is_cpu()) return cover_errors_by_aten(scale, x_BCHW, c_BK);
    const auto scales = scales_of(scale);
    const at::Tensor x =
        x_BCHW.narrow(1, 0, cover_shares).to(at::kDouble).contiguous(at::MemoryFormat::Contiguous);
    at::Tensor errors_B2 = at::empty({x.size(0), cover_shares}, at::kDouble);
    auto* error = errors_B2.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < x.size(0); ++i) {
        const auto* const wish = c_BK[i].const_data_ptr<double>();
        for (std::size_t k = 0; k < scales.size(); ++k) {
            const double drawn = (mean_of(x[i][static_cast<std::int64_t>(k)]) + 1) / 2;
            *error++ = scales[k].standardised(drawn) - wish[k];
        }
    }
    return errors_B2;
}

at::Tensor cover_errors_by_aten(const conditions::CoverScale& scale, const at::Tensor& x_BCHW,
                                const at::Tensor& c_BK) {
    std::vector<at::Tensor> errors;
    for (const conditions::Scale& of : scales_of(scale)) {
        const std::int64_t k = std::ssize(errors);
        const at::Tensor drawn_B = x_BCHW.select(1, k).to(at::kDouble).mean({1, 2}).add_(1).div_(2);
        errors.push_back(drawn_B.sub(of.mean).div_(of.deviation).sub_(c_BK.select(1, k)));
    }
    return at::stack(errors, 1);
}

at::Tensor cover_gradient(const conditions::CoverScale& scale, const at::Tensor& errors_B2,
                          double share, const at::Tensor& like_BCHW) {
    const auto pixels = static_cast<double>(like_BCHW.size(2) * like_BCHW.size(3));
    at::Tensor g_BC11 =
        at::zeros({like_BCHW.size(0), like_BCHW.size(1), 1, 1}, errors_B2.options());
    std::int64_t k = 0;
    for (const conditions::Scale& of : scales_of(scale)) {
        const at::Tensor g_B = errors_B2.select(1, k).mul(share).div_(of.deviation * pixels);
        g_BC11.select(1, k++).copy_(g_B.view({-1, 1, 1}));
    }
    return g_BC11.to(like_BCHW.options());
}

}  // namespace civitas::tasks
