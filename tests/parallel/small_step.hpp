#pragma once
/// Layers and an environment that compute nothing, for what an executor does by itself.
#include "civitas/parallel/executor.hpp"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

namespace civitas::test {

/// Copies its input, saves a known number of bytes and counts the calls.
class CountingLayer : public nn::Layer {
public:
    struct Calls {
        int f = 0, b = 0, w = 0;
        friend bool operator==(const Calls&, const Calls&) = default;
    };
    CountingLayer(std::int64_t bytes, Calls& calls) : bytes_(bytes), calls_(calls) {}

    [[nodiscard]] nn::Forward forward(const at::Tensor& x) const override {
        ++calls_.f;
        return {x.clone(), {{at::zeros({bytes_}, at::kChar)}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override { return x; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            nn::SavedTensors& /*saved*/) const override {
        ++calls_.b;
        return gy.clone();
    }
    [[nodiscard]] nn::NeededByW needed_by_weights() const override {
        return nn::NeededByW::saved_and_gy;
    }
    void backward_weights(const at::Tensor& /*gy*/, nn::SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {
        ++calls_.w;
    }

private:
    std::int64_t bytes_;
    Calls& calls_;
};

/// Images of one number.
class SmallTask : public parallel::Task {
public:
    at::Tensor input(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                     const at::Tensor& output) override {
        return output.defined() ? output : number();
    }
    at::Tensor output_gradient(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                               const at::Tensor& gradient) override {
        return gradient;
    }
    parallel::PassLoss loss(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                            const at::Tensor& /*y*/) override {
        return {{}, number()};
    }
    void record_statistics(const schedule::Action& /*visit*/,
                           const std::vector<nn::Statistics>& /*statistics*/) override {}
    void reduce(schedule::NetId /*net*/) override {}
    void update(schedule::NetId /*net*/) override {}

private:
    static at::Tensor number() { return at::ones({1, 1, 1, 1}, at::kDouble); }
};

}  // namespace civitas::test
