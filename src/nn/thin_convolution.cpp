/// The convolutions at the picture's end of a net (kernels/thin.hpp). What goes from the picture
/// into the net is as fast by ATen.
#include "layers.hpp"

#include "civitas/kernels/thin.hpp"

#include <utility>

namespace civitas::nn {
namespace {

class ThinConvolutionLayer : public Layer {
public:
    ThinConvolutionLayer(const net::ConvolutionGeometry& geometry, bool transposed,
                         const at::Tensor& weight)
        : aten_(make_convolution(geometry, transposed, weight)),
          transposed_(transposed),
          weight_(weight) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return transposed_ ? kernels::thin::up(x, weight_) : aten_->evaluate(x);
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        if (transposed_ || !fits(saved.tensors[0])) return aten_->backward_input(gy, saved);
        return kernels::thin::up(gy, weight_);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const auto& x = saved.tensors[0];
        if (!fits(x)) return aten_->backward_weights(gy, saved, leaf);
        kernels::thin::weight_gradient(transposed_ ? gy : x, transposed_ ? x : gy, leaf[0]);
    }

private:
    /// Pictures of odd sides are ATen's.
    [[nodiscard]] bool fits(const at::Tensor& x) const {
        return transposed_ || (x.size(2) % 2 == 0 && x.size(3) % 2 == 0);
    }

    std::unique_ptr<Layer> aten_;
    bool transposed_;
    at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Layer> make_thin_convolution(const net::ConvolutionGeometry& geometry,
                                             bool transposed, const at::Tensor& weight) {
    return std::make_unique<ThinConvolutionLayer>(geometry, transposed, weight);
}

}  // namespace civitas::nn
