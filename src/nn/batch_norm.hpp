#pragma once
/// Batch norm over one micro-batch. B makes all three gradients at once (it needs two of them for
/// the third) and leaves those of the parameters in SavedTensors for W.
#include "civitas/nn/layer.hpp"

#include <string>

namespace civitas::nn {

class BatchNormLayer : public Layer {
public:
    BatchNormLayer(std::string name, double epsilon, const LayerViews& views);

    [[nodiscard]] Forward forward(const at::Tensor& x) const override;
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override;
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override;
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override;

protected:
    [[nodiscard]] const at::Tensor& weight() const { return weight_; }
    [[nodiscard]] const at::Tensor& bias() const { return bias_; }
    [[nodiscard]] double epsilon() const { return epsilon_; }
    /// Zeros in the place of the running statistics: with momentum 1 they become exactly what a
    /// micro-batch contributes to them.
    [[nodiscard]] Statistics blank() const;
    [[nodiscard]] static std::int64_t values_per_channel(const at::Tensor& x) {
        return x.numel() / x.size(1);
    }
    void require_variance(std::int64_t values, const at::Tensor& x) const;

private:
    std::string name_;
    double epsilon_;
    at::Tensor weight_, bias_, running_mean_, running_variance_;
};

}  // namespace civitas::nn
