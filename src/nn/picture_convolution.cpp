/// The convolution of stride 1 that makes a picture at full size (kernels/picture.hpp).
#include "layers.hpp"

#include "civitas/kernels/picture.hpp"

#include <utility>

namespace civitas::nn {
namespace {

class PictureConvolutionLayer : public Layer {
public:
    explicit PictureConvolutionLayer(at::Tensor weight) : weight_(std::move(weight)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return kernels::picture::forward(x, weight_);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& /*saved*/) const override {
        return kernels::picture::backward_input(gy, weight_);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        kernels::picture::backward_weights(gy, saved.tensors[0], leaf[0]);
    }

private:
    at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Layer> make_picture_convolution(at::Tensor weight) {
    return std::make_unique<PictureConvolutionLayer>(std::move(weight));
}

}  // namespace civitas::nn
