#pragma once
/// Rounds in which every layer of a part of a net is timed once: its F, B and W.
#include "samples.hpp"

#include "civitas/base/numbers.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace civitas::profiling {

struct SamplesOfLayer {
    Samples forward, backward_input, backward_weights;
    [[nodiscard]] planner::LayerTimes typical() const {
        return {forward.typical(), backward_input.typical(), backward_weights.typical()};
    }
    [[nodiscard]] planner::LayerTimes least() const {
        return {forward.least(), backward_input.least(), backward_weights.least()};
    }
};
using SamplesOfLayers = std::vector<SamplesOfLayer>;

/// Neighbouring layers with weights and sums of their own, made in one or several ways.
class LayerRounds {
public:
    /// `ways`: descriptions of the same layers, which differ in their kernels.
    LayerRounds(const std::vector<net::NetDescription>& ways, net::Precision precision,
                at::Device device);

    /// Times the layers of each way once, with so many images, in the order of a step, so that each
    /// finds caches as its neighbours leave them.
    void take(std::int64_t images, std::vector<SamplesOfLayers>& samples);
    [[nodiscard]] at::Device device() const { return weights_.flat().device(); }
    /// For take(): no samples yet.
    [[nodiscard]] std::vector<SamplesOfLayers> no_samples() const {
        return {ways_.size(), SamplesOfLayers(net_.layers.size())};
    }

private:
    /// What goes into the first layer, and the gradient of what comes out of the last.
    struct Images {
        at::Tensor x, gy;
    };
    void take(const std::vector<std::unique_ptr<nn::Layer>>& layers, const Images& images,
              SamplesOfLayers& samples) const;
    [[nodiscard]] std::span<const at::Tensor> leaves(std::size_t layer) const;

    net::NetDescription net_;
    net::ArenaLayout layout_;
    optim::Arena weights_, leaves_;
    std::optional<optim::Arena> compute_;
    optim::Buffers buffers_;
    std::vector<std::vector<std::unique_ptr<nn::Layer>>> ways_;
    std::vector<Range> slots_;
    Images one_, images_;  ///< one, and as many of it as the last round took
};

}  // namespace civitas::profiling
