/// Batch norm, alone or with the leaky ReLU behind it, by a kernel of our own.
#include "batch_norm.hpp"
#include "layers.hpp"

#include "civitas/kernels/batch_norm.hpp"

#include <ATen/ops/leaky_relu.h>
#include <utility>

namespace civitas::nn {
namespace {

class BatchNormKernelLayer : public BatchNormLayer {
public:
    BatchNormKernelLayer(std::string name, double epsilon, double slope, const LayerViews& views)
        : BatchNormLayer(std::move(name), epsilon, views), slope_(slope) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        require_variance(values_per_channel(x), x);
        auto [y, moments, variance_C] = kernels::batch_norm_forward(x, applied());
        Statistics statistics{moments.mean_C.clone(), std::move(variance_C)};
        return {std::move(y),
                {{x, std::move(moments.mean_C), std::move(moments.inverse_deviation_C)},
                 {std::move(statistics)}}};
    }

    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        const auto z = BatchNormLayer::evaluate(x);
        return slope_ == 1 ? z : at::leaky_relu(z, slope_);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }

    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return backward(gy, saved, {});
    }
    [[nodiscard]] at::Tensor backward_input_over(at::Tensor gy,
                                                 SavedTensors& saved) const override {
        return backward(gy, saved, gy);
    }

private:
    /// The gradient of x in the memory of `gx`, if that is defined.
    [[nodiscard]] at::Tensor backward(const at::Tensor& gy, SavedTensors& saved,
                                      at::Tensor gx) const {
        const auto& kept = saved.tensors;
        auto made =
            kernels::batch_norm_backward(gy, kept[0], {kept[1], kept[2]}, applied(), std::move(gx));
        saved.tensors = {std::move(made.g_weight_C), std::move(made.g_bias_C)};
        return std::move(made.gx);
    }
    [[nodiscard]] kernels::BatchNorm applied() const {
        return {weight(), bias(), epsilon(), slope_};
    }

    double slope_;
};

}  // namespace

std::unique_ptr<Layer> make_batch_norm_kernel(const std::string& name, double epsilon, double slope,
                                              const LayerViews& views) {
    return std::make_unique<BatchNormKernelLayer>(name, epsilon, slope, views);
}

}  // namespace civitas::nn
