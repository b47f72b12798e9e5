#pragma once
/// The stages of a net that a rank holds, as an executor sees them.
#include "civitas/nn/layer.hpp"
#include "civitas/optim/reduction.hpp"
#include "civitas/optim/stage_weights.hpp"

#include <vector>

namespace civitas::optim {

/// A stage held by this coordinate.
struct LocalStage {
    StageId stage{};
    const nn::Stage* layers = nullptr;
    std::size_t first_layer = 0;  ///< of it, counted over the stages held
};

/// This rank's stages of a net, who takes leaves of their layers, and who gathers their weights.
struct NetParts {
    std::vector<LocalStage> stages;
    GradientAccumulator* leaves = nullptr;
    StageWeights* weights = nullptr;  ///< null where they are always whole
    at::Device device = at::kCPU;     ///< that computes them
};

}  // namespace civitas::optim
