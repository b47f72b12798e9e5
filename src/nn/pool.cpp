/// Pools keep their input, which mostly is the output of an activation that is kept anyway: B of a
/// max pool finds the maxima again, as F found them (of equal ones the first in PyTorch's order).
#include "layers.hpp"

#include <ATen/ops/_adaptive_avg_pool2d_backward.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <array>
#include <tuple>

namespace civitas::nn {
namespace {

class PoolLayer : public Layer {
public:
    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::nothing; }
    void backward_weights(const at::Tensor& /*gy*/, SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {}
};

class MaxPoolLayer : public PoolLayer {
public:
    explicit MaxPoolLayer(const net::MaxPool& pool)
        : kernel_{pool.kernel, pool.kernel},
          stride_{pool.stride, pool.stride},
          padding_{pool.padding, pool.padding} {}

    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return channels_last(std::get<0>(maxima_of(x)));
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        const at::Tensor& x = saved.tensors[0];
        return channels_last(at::max_pool2d_with_indices_backward(gy, x, kernel_, stride_, padding_,
                                                                  dilation_, /*ceil_mode=*/false,
                                                                  std::get<1>(maxima_of(x))));
    }

private:
    using Pair = std::array<std::int64_t, 2>;

    /// The maxima, and where in the image each is.
    [[nodiscard]] std::tuple<at::Tensor, at::Tensor> maxima_of(const at::Tensor& x) const {
        return at::max_pool2d_with_indices(x, kernel_, stride_, padding_, dilation_,
                                           /*ceil_mode=*/false);
    }

    static constexpr Pair dilation_{1, 1};
    Pair kernel_;
    Pair stride_;
    Pair padding_;
};

class AdaptiveAveragePoolLayer : public PoolLayer {
public:
    explicit AdaptiveAveragePoolLayer(const net::AdaptiveAveragePool& pool)
        : size_{pool.height, pool.width} {}

    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return channels_last(at::adaptive_avg_pool2d(x, size_));
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return channels_last(at::_adaptive_avg_pool2d_backward(gy, saved.tensors[0]));
    }

private:
    std::array<std::int64_t, 2> size_;
};

}  // namespace

std::unique_ptr<Layer> make_max_pool(const net::MaxPool& pool) {
    return std::make_unique<MaxPoolLayer>(pool);
}

std::unique_ptr<Layer> make_adaptive_average_pool(const net::AdaptiveAveragePool& pool) {
    return std::make_unique<AdaptiveAveragePoolLayer>(pool);
}

}  // namespace civitas::nn
