#pragma once
/// Runs any table of actions. Knows stages, leaves and sums; knows nothing of tiles, losses or
/// updates, which it asks its environment for.
#include "civitas/nn/layer.hpp"
#include "civitas/parallel/reduction.hpp"
#include "civitas/parallel/schedule.hpp"

#include <ATen/core/Tensor.h>
#include <map>
#include <vector>

namespace civitas::parallel {

/// What a step needs from outside, at its two ends. Micro-batches are counted within the rank.
class StepEnvironment {
public:
    StepEnvironment() = default;
    StepEnvironment(const StepEnvironment&) = delete;
    StepEnvironment& operator=(const StepEnvironment&) = delete;
    virtual ~StepEnvironment() = default;

    /// z_BC11.
    [[nodiscard]] virtual at::Tensor latent(MicroBatch micro) = 0;
    /// Real tiles x_BCHW, not yet shifted or noisy.
    [[nodiscard]] virtual at::Tensor real(MicroBatch micro) = 0;
    /// What D sees of an image: shifted, with instance noise, in the compute type.
    [[nodiscard]] virtual at::Tensor seen(Pass pass, MicroBatch micro, const at::Tensor& image) = 0;
    /// Gradient of the image, given that of what D sees (G's update only).
    [[nodiscard]] virtual at::Tensor unseen(MicroBatch micro, const at::Tensor& gradient) = 0;
    /// Record the loss on D's logits and return its gradient.
    [[nodiscard]] virtual at::Tensor judge(Pass pass, MicroBatch micro,
                                           const at::Tensor& logits) = 0;
    /// Statistics of batch norm from one F that counts (never a redraw, never D in G's update).
    virtual void observe(Net net, Pass pass, MicroBatch micro,
                         const std::vector<nn::Statistics>& statistics) = 0;
    /// Combine this rank's gradient of a net over the data axis, then update the net.
    virtual void reduce(Net net, const at::Tensor& gradient) = 0;
    virtual void update(Net net, const at::Tensor& gradient) = 0;
};

/// This rank's stage of each net and the sums of its leaves.
struct NetParts {
    const nn::Stage* stage = nullptr;
    LeafSum* leaves = nullptr;
};

class Executor {
public:
    Executor(NetParts generator, NetParts discriminator, StepEnvironment& environment);

    /// Run one coordinate's list. Precondition: the schedule has been checked.
    void run(const std::vector<Action>& actions);

    /// Most bytes of saved activations (and gradients held for W) that lived at once in run().
    [[nodiscard]] std::int64_t peak_bytes() const noexcept { return peak_bytes_; }

private:
    struct Key {
        Net net;
        int stage;
        Pass pass;
        MicroBatch micro;
        auto operator<=>(const Key&) const = default;
    };
    void perform(const Action& action);
    void forward(const Action& action, bool counts);
    void backward(const Action& action);
    void weights(const Action& action);

    NetParts generator_, discriminator_;
    StepEnvironment& environment_;
    std::map<Key, nn::Stage::Kept> kept_;
    std::map<Key, at::Tensor> gradients_;
    std::map<MicroBatch, at::Tensor> fakes_;
    std::int64_t peak_bytes_ = 0;
};

}  // namespace civitas::parallel
