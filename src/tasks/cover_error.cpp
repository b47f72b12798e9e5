#include "civitas/tasks/cover_error.hpp"

#include "civitas/base/condition_kind.hpp"

#include <ATen/ops/zeros.h>
#include <array>

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

std::vector<double> cover_errors(const conditions::CoverScale& scale, const at::Tensor& x_BCHW,
                                 const at::Tensor& c_BK) {
    const auto scales = scales_of(scale);
    const at::Tensor x = x_BCHW.narrow(1, 0, cover_shares)
                             .to(at::kCPU, at::kDouble)
                             .contiguous(at::MemoryFormat::Contiguous);
    const auto* wish = c_BK.const_data_ptr<double>();
    std::vector<double> errors;
    for (std::int64_t i = 0; i < x.size(0); ++i, wish += c_BK.size(1))
        for (std::size_t k = 0; k < scales.size(); ++k) {
            const double drawn = (mean_of(x[i][static_cast<std::int64_t>(k)]) + 1) / 2;
            errors.push_back(scales[k].standardised(drawn) - wish[k]);
        }
    return errors;
}

at::Tensor cover_gradient(const conditions::CoverScale& scale, const std::vector<double>& errors,
                          double share, const at::Tensor& like_BCHW) {
    const auto scales = scales_of(scale);
    const auto pixels = static_cast<double>(like_BCHW.size(2) * like_BCHW.size(3));
    at::Tensor g_BC11 = at::zeros({like_BCHW.size(0), like_BCHW.size(1), 1, 1}, at::kDouble);
    auto* g = g_BC11.mutable_data_ptr<double>();
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const std::size_t plan = i / scales.size(), k = i % scales.size();
        g[plan * static_cast<std::size_t>(like_BCHW.size(1)) + k] =
            share * errors[i] / (scales[k].deviation * pixels);
    }
    return g_BC11.to(like_BCHW.options());
}

}  // namespace civitas::tasks
