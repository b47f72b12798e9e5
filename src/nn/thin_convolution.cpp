/// The convolutions at the picture's end of a net (kernels/thin.hpp).
#include "layers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/kernels/thin.hpp"

#include <utility>

namespace civitas::nn {
namespace {

class ThinConvolutionLayer : public Layer {
public:
    ThinConvolutionLayer(bool transposed, at::Tensor weight)
        : transposed_(transposed), weight_(std::move(weight)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        ensure(transposed_, "what goes from the picture into the net is by ATen");
        return kernels::thin::up(x, weight_);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& /*saved*/) const override {
        ensure(!transposed_, "what goes from the picture into the net is by ATen");
        return kernels::thin::up(gy, weight_);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const auto& x = saved.tensors[0];
        kernels::thin::weight_gradient(transposed_ ? gy : x, transposed_ ? x : gy, leaf[0]);
    }

private:
    bool transposed_;
    at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Layer> make_thin_convolution(bool transposed, at::Tensor weight) {
    return std::make_unique<ThinConvolutionLayer>(transposed, std::move(weight));
}

}  // namespace civitas::nn
