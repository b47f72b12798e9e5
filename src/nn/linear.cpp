/// Linear layers: with the samples of x as rows X (B, in), each in PyTorch's order, and the
/// gradient of y as rows G (B, out),
///   F: Y = X W^T + b,   B: G W,   W: gradient of W = G^T X, of b = sum of the rows of G.
#include "layers.hpp"

#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>
#include <utility>

namespace civitas::nn {
namespace {

at::Tensor rows_of(const at::Tensor& x_BCHW) { return x_BCHW.reshape({x_BCHW.size(0), -1}); }

/// Keeps its input as the layer before made it.
class LinearLayer : public Layer {
public:
    explicit LinearLayer(Factors factors) : factors_(std::move(factors)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        const auto y = at::linear(rows_of(x), factors_.weight, factors_.added());
        return y.view({x.size(0), -1, 1, 1});
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return at::mm(rows_of(gy), factors_.weight)
            .view(saved.tensors[0].sizes())
            .contiguous(at::MemoryFormat::ChannelsLast);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const auto g = rows_of(gy);
        const auto x = rows_of(saved.tensors[0]);
        if (g.scalar_type() == leaf[0].scalar_type()) {
            at::Tensor made = leaf[0];
            at::mm_out(made, g.t(), x);
        } else {
            leaf[0].copy_(at::mm(g.t(), x));
        }
        if (factors_.bias.defined())
            leaf[1].copy_(at::sum(g, {0}, /*keepdim=*/false, leaf[1].scalar_type()));
    }

private:
    Factors factors_;
};

}  // namespace

std::unique_ptr<Layer> make_linear(Factors factors) {
    return std::make_unique<LinearLayer>(std::move(factors));
}

}  // namespace civitas::nn
