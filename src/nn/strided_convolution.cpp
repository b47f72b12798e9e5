#include "layers.hpp"

#include "civitas/strided/convolution.hpp"

#include <utility>

namespace civitas::nn {
namespace {

/// Direct or transposed convolution of kernel 4, stride 2 and padding 1; keeps its input.
class StridedConvolution : public Layer {
public:
    StridedConvolution(bool transposed, at::Tensor weight)
        : transposed_(transposed), weight_(std::move(weight)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }

    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return transposed_ ? up(x) : down(x);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }

    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& /*saved*/) const override {
        return transposed_ ? down(gy) : up(gy);
    }

    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }

    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const at::Tensor& x = saved.tensors[0];
        const at::Tensor& big = transposed_ ? gy : x;
        const at::Tensor& small = transposed_ ? x : gy;
        strided::weight_gradient(channels_last(big), channels_last(small), leaf[0]);
    }

private:
    [[nodiscard]] at::Tensor down(const at::Tensor& big) const {
        return strided::down(channels_last(big), weight_);
    }
    [[nodiscard]] at::Tensor up(const at::Tensor& small) const {
        return strided::up(channels_last(small), weight_);
    }

    bool transposed_;
    at::Tensor weight_;
};

}  // namespace

std::unique_ptr<Layer> make_strided_convolution(bool transposed, at::Tensor weight) {
    return std::make_unique<StridedConvolution>(transposed, std::move(weight));
}

}  // namespace civitas::nn
