/// Residual blocks: y = f(body(x) + shortcut(x)), f a leaky ReLU or nothing. With g = f'(y) gy the
/// gradient of x is B(body, g) + B(shortcut, g). F keeps y, if there is an f, and what the layers
/// inside keep; B leaves of that what their W needs.
#include "layers.hpp"

#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <utility>

namespace civitas::nn {
namespace {

class ResidualLayer : public Layer {
public:
    ResidualLayer(Branch body, Branch shortcut, std::optional<double> slope)
        : body_(std::move(body)), shortcut_(std::move(shortcut)), slope_(slope) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override { return forward_of(x, {}); }
    [[nodiscard]] Forward forward_of(const at::Tensor& x,
                                     const SampleRange& samples) const override {
        SavedTensors saved{{}, {}, {{samples, {}, {}}, {samples, {}, {}}}};
        auto sum = body_.stage.forward(x, saved.inside[0]);
        sum = sum.add(shortcut_.stage.forward(x, saved.inside[1]));
        auto y = activated(std::move(sum));
        saved.tensors = {slope_ ? y : at::Tensor()};
        for (KeptByLayers& kept : saved.inside)
            for (SavedTensors& layer : kept.saved)
                for (Statistics& statistics : std::exchange(layer.statistics, {}))
                    saved.statistics.push_back(std::move(statistics));
        return {std::move(y), std::move(saved)};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return activated(body_.stage.evaluate(x).add(shortcut_.stage.evaluate(x)));
    }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return backward(gy, saved, /*input_gradient=*/true);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override {
        const bool weights = body_.stage.has_weights() || shortcut_.stage.has_weights();
        return weights ? NeededByW::saved : NeededByW::nothing;
    }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const bool after_b = saved.tensors.empty();
        if (!after_b) (void)backward(gy, saved, /*input_gradient=*/false);
        body_.backward_weights(saved.inside[0], leaf);
        shortcut_.backward_weights(saved.inside[1], leaf);
    }

private:
    struct Layers {
        explicit Layers(Branch branch)
            : stage(std::move(branch.layers)), parameters(std::move(branch.parameters)) {}
        /// Takes its leaves away from the others.
        void backward_weights(KeptByLayers& kept, std::span<const at::Tensor>& leaf) const {
            for (std::size_t i = 0; i < stage.size(); ++i) {
                stage.backward_weights(i, kept, leaf.first(parameters[i]));
                leaf = leaf.subspan(parameters[i]);
            }
        }
        Stage stage;
        std::vector<std::size_t> parameters;
    };

    /// Takes the memory of the sum.
    [[nodiscard]] at::Tensor activated(at::Tensor sum) const {
        return slope_ ? at::leaky_relu_(sum, *slope_) : sum;
    }
    [[nodiscard]] at::Tensor backward(const at::Tensor& gy, SavedTensors& saved,
                                      bool input_gradient) const {
        at::Tensor g = slope_ ? at::leaky_relu_backward(gy, saved.tensors[0], *slope_, true) : gy;
        saved.tensors.clear();
        const auto of_body = body_.stage.backward_input(g, saved.inside[0], input_gradient, true);
        const auto of_shortcut =
            shortcut_.stage.backward_input(std::move(g), saved.inside[1], input_gradient, true);
        return input_gradient ? of_body.add(of_shortcut) : at::Tensor();
    }

    Layers body_, shortcut_;
    std::optional<double> slope_;
};

}  // namespace

std::unique_ptr<Layer> make_residual(Branch body, Branch shortcut, std::optional<double> slope) {
    return std::make_unique<ResidualLayer>(std::move(body), std::move(shortcut), slope);
}

}  // namespace civitas::nn
