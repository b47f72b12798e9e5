#pragma once
/// Runs any table of actions. Knows stages, leaves and sums; knows nothing of tiles, losses or
/// updates, which it asks its environment for.
#include "civitas/nn/layer.hpp"
#include "civitas/parallel/reduction.hpp"
#include "civitas/parallel/schedule.hpp"

#include <ATen/core/Tensor.h>
#include <memory>
#include <span>
#include <vector>

namespace civitas::parallel {

/// What a step needs from outside, at its two ends. Micro-batches are counted within the rank.
class StepEnvironment {
public:
    StepEnvironment() = default;
    StepEnvironment(const StepEnvironment&) = delete;
    StepEnvironment& operator=(const StepEnvironment&) = delete;
    StepEnvironment(StepEnvironment&&) = delete;
    StepEnvironment& operator=(StepEnvironment&&) = delete;
    virtual ~StepEnvironment() = default;

    /// z_BC11. Asked again, with the same answer, when a table redraws.
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
    /// Statistics of batch norm, in layer order, from one F that counts (never a redraw, never D in
    /// G's update).
    virtual void observe(Net net, Pass pass, MicroBatch micro,
                         const std::vector<nn::Statistics>& statistics) = 0;
    /// Combine this rank's sums of a net (one per pass: D's real, then fake) over the data axis and
    /// leave the whole gradient in sums[0], as all_reduce does.
    virtual void reduce(Net net, std::span<const at::Tensor> sums) = 0;
    /// Update the net with what reduce() left in sums[0].
    virtual void update(Net net, const at::Tensor& gradient) = 0;
};

/// This rank's stage of each net and the sums of its leaves: a group per layer, one pass for G, two
/// for D.
struct NetParts {
    const nn::Stage* stage = nullptr;
    LeafSum* leaves = nullptr;
};

class Executor {
public:
    Executor(NetParts generator, NetParts discriminator, StepEnvironment& environment);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    Executor(Executor&&) = delete;
    Executor& operator=(Executor&&) = delete;
    ~Executor();

    /// Run one coordinate's list. Precondition: the schedule has been checked. Afterwards nothing
    /// is kept, also when an error of the environment ended it: run() may be called again.
    void run(const std::vector<Action>& actions);

    /// Most bytes of saved activations, gradients held for B and W, and fakes that lived between
    /// two actions of any run(); memory that several of them share counts once.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept;

private:
    void clear();
    void perform(const Action& action);
    void forward(const Action& action);
    void backward(const Action& action);
    void weights(const Action& action);
    [[nodiscard]] at::Tensor input_of(const Action& action);
    void deliver(const Action& action, at::Tensor y);
    [[nodiscard]] const NetParts& parts(Net net) const;

    struct Held;
    NetParts generator_, discriminator_;
    StepEnvironment& environment_;
    std::unique_ptr<Held> held_;
};

}  // namespace civitas::parallel
