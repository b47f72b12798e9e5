#include "layers.hpp"

#include "civitas/kernels/tanh.hpp"

#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>
#include <utility>

namespace civitas::nn {
namespace {

/// Functions whose derivative follows from their output: they keep y, which the next layer keeps
/// as its input anyway.
class Activation : public Layer {
public:
    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        auto y = evaluate(x);
        return {y, {{y}, {}}};
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::nothing; }
    void backward_weights(const at::Tensor& /*gy*/, SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {}
};

class LeakyReluLayer : public Activation {
public:
    explicit LeakyReluLayer(double slope) : slope_(slope) {}
    [[nodiscard]] Forward forward_over(at::Tensor x,
                                       const SampleRange& /*samples*/) const override {
        at::leaky_relu_(x, slope_);
        return {x, {{x}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return at::leaky_relu(x, slope_);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return at::leaky_relu_backward(gy, saved.tensors[0], slope_, /*self_is_result=*/true);
    }
    [[nodiscard]] at::Tensor backward_input_over(at::Tensor gy,
                                                 SavedTensors& saved) const override {
        return at::leaky_relu_backward_out(gy, gy, saved.tensors[0], slope_,
                                           /*self_is_result=*/true);
    }

private:
    double slope_;
};

class TanhLayer : public Activation {
public:
    explicit TanhLayer(net::Kernel forward) : forward_(forward) {}
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return forward_ == net::Kernel::tanh ? kernels::tanh(x) : at::tanh(x);
    }
    [[nodiscard]] bool evaluates_each() const override { return forward_ == net::Kernel::tanh; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return at::tanh_backward(gy, saved.tensors[0]);
    }

private:
    net::Kernel forward_;
};

/// Keeps the output behind what the batch norm keeps.
class ActivatedLayer : public Layer {
public:
    ActivatedLayer(std::unique_ptr<Layer> norm, double slope)
        : norm_(std::move(norm)), slope_(slope) {}
    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        auto [z, saved] = norm_->forward(x);
        auto y = at::leaky_relu(z, slope_);
        saved.tensors.push_back(y);
        return {std::move(y), std::move(saved)};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return at::leaky_relu(norm_->evaluate(x), slope_);
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        const auto g = at::leaky_relu_backward(gy, saved.tensors.back(), slope_, true);
        saved.tensors.pop_back();
        return norm_->backward_input(g, saved);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved; }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const bool after_b = saved.tensors.size() == leaf.size();
        if (!after_b) (void)backward_input(gy, saved);
        norm_->backward_weights(gy, saved, leaf);
    }

private:
    std::unique_ptr<Layer> norm_;
    double slope_;
};

}  // namespace

std::unique_ptr<Layer> make_activated(std::unique_ptr<Layer> norm, double slope) {
    return std::make_unique<ActivatedLayer>(std::move(norm), slope);
}

std::unique_ptr<Layer> make_leaky_relu(double slope) {
    return std::make_unique<LeakyReluLayer>(slope);
}

std::unique_ptr<Layer> make_tanh(net::Kernel forward) {
    return std::make_unique<TanhLayer>(forward);
}

}  // namespace civitas::nn
