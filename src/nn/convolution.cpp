#include "layers.hpp"

#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/sum.h>
#include <array>
#include <utility>

namespace civitas::nn {
namespace {

/// Direct or transposed convolution; keeps its input.
class ConvolutionLayer : public Layer {
public:
    ConvolutionLayer(const net::ConvolutionGeometry& geometry, bool transposed, Factors factors)
        : stride_{geometry.stride, geometry.stride},
          padding_{geometry.padding, geometry.padding},
          transposed_(transposed),
          factors_(std::move(factors)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }

    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        // Images of one channel are channels-last and not: ATen takes them for the latter, as cuDNN
        // takes all numbers of double precision.
        return channels_last(at::convolution(x, factors_.weight, factors_.added(), stride_,
                                             padding_, dilation_, transposed_, output_padding_, 1));
    }

    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return channels_last(std::get<0>(backward(gy, saved, {true, false, false})));
    }

    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }

    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        leaf[0].copy_(std::get<1>(backward(gy, saved, {false, true, false})));
        if (factors_.bias.defined())
            leaf[1].copy_(at::sum(gy, {0, 2, 3}, /*keepdim=*/false, leaf[1].scalar_type()));
    }

private:
    using Pair = std::array<std::int64_t, 2>;

    [[nodiscard]] std::tuple<at::Tensor, at::Tensor, at::Tensor> backward(
        const at::Tensor& gy, const SavedTensors& saved, std::array<bool, 3> wanted) const {
        return at::convolution_backward(gy, saved.tensors[0], factors_.weight, {}, stride_,
                                        padding_, dilation_, transposed_, output_padding_, 1,
                                        wanted);
    }

    static constexpr Pair dilation_{1, 1};
    static constexpr Pair output_padding_{0, 0};
    Pair stride_;
    Pair padding_;
    bool transposed_;
    Factors factors_;
};

}  // namespace

std::unique_ptr<Layer> make_convolution(const net::ConvolutionGeometry& geometry, bool transposed,
                                        Factors factors) {
    return std::make_unique<ConvolutionLayer>(geometry, transposed, std::move(factors));
}

}  // namespace civitas::nn
