/// A layer of which F, B and W each are computed by other code.
#include "layers.hpp"

#include <utility>

namespace civitas::nn {
namespace {

class MixedLayer : public Layer {
public:
    explicit MixedLayer(LayerOfPass by) : by_(std::move(by)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return by_.forward->forward(x);
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return by_.forward->evaluate(x);
    }
    [[nodiscard]] bool evaluates_each() const override { return by_.forward->evaluates_each(); }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return by_.backward_input->backward_input(gy, saved);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override {
        return by_.backward_weights->needed_by_weights();
    }
    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        by_.backward_weights->backward_weights(gy, saved, leaf);
    }

private:
    LayerOfPass by_;
};

}  // namespace

std::unique_ptr<Layer> make_mixed(LayerOfPass by) {
    return std::make_unique<MixedLayer>(std::move(by));
}

}  // namespace civitas::nn
