#pragma once
/// Runs any table of actions. Knows stages, messages, leaves and sums; knows nothing of tiles,
/// losses or updates, which it asks its environment for.
#include "civitas/base/timeline.hpp"
#include "civitas/comm/point_to_point.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/parallel/reduction.hpp"
#include "civitas/schedule/kept_peak.hpp"
#include "civitas/schedule/message_order.hpp"
#include "civitas/schedule/schedule.hpp"

#include <ATen/core/Tensor.h>
#include <memory>
#include <span>
#include <vector>

namespace civitas::parallel {

/// What a step needs from outside, at the ends of the nets. Micro-batches are counted within the
/// rank. Only the coordinates that hold the stage in question are asked.
class StepEnvironment {
public:
    StepEnvironment() = default;
    StepEnvironment(const StepEnvironment&) = delete;
    StepEnvironment& operator=(const StepEnvironment&) = delete;
    StepEnvironment(StepEnvironment&&) = delete;
    StepEnvironment& operator=(StepEnvironment&&) = delete;
    virtual ~StepEnvironment() = default;

    /// z_BC11, for G's first stage. Asked again, with the same answer, when a table redraws.
    [[nodiscard]] virtual at::Tensor latent(LocalMicroBatch micro) = 0;
    /// Real tiles x_BCHW, not yet shifted or noisy, for D's first stage.
    [[nodiscard]] virtual at::Tensor real(LocalMicroBatch micro) = 0;
    /// What D sees of an image: shifted, with instance noise, in the compute type.
    [[nodiscard]] virtual at::Tensor augment(schedule::Pass pass, LocalMicroBatch micro,
                                             const at::Tensor& image) = 0;
    /// Gradient of the image, given that of what D sees (G's update only).
    [[nodiscard]] virtual at::Tensor augment_backward(LocalMicroBatch micro,
                                                      const at::Tensor& gradient) = 0;
    /// Record the loss on D's logits and return its gradient.
    [[nodiscard]] virtual at::Tensor loss_gradient(schedule::Pass pass, LocalMicroBatch micro,
                                                   const at::Tensor& logits) = 0;
    /// Statistics of the visited stage's batch norms, in layer order, from one F that counts (never
    /// a redraw, never D in G's update).
    virtual void record_statistics(const schedule::Action& visit,
                                   const std::vector<nn::Statistics>& statistics) = 0;
    /// Combine this rank's sums of a net (one per pass: D's real, then fake) over the data axis and
    /// leave the whole gradient in sums[0], as all_reduce does.
    virtual void reduce(schedule::NetId net, std::span<const at::Tensor> sums) = 0;
    /// Update the net with what reduce() left in sums[0].
    virtual void update(schedule::NetId net, const at::Tensor& gradient) = 0;
};

/// A stage held by this coordinate. Its layers' leaves are the groups from `first_group` on.
struct LocalStage {
    int stage = 0;
    const nn::Stage* layers = nullptr;
    std::size_t first_group = 0;
};

/// This rank's stages of a net and the sums of their leaves: a group per layer, one pass for G, two
/// for D.
struct NetParts {
    std::vector<LocalStage> stages;
    LeafSum* leaves = nullptr;
};

/// This rank's place on the pipe axis and what travels along it: activations of whole micro-batches
/// and their gradients.
struct Pipeline {
    schedule::StagePlacement placement{1};
    int here = 0;
    comm::PointToPoint* transport = nullptr;  ///< null when there is one coordinate
    const schedule::MessageOrder* order =
        nullptr;  ///< of `here`, for a transport that is in_order()
    /// Shapes of one sample before each stage and after the last.
    std::vector<net::ImageShape> generator_boundaries, discriminator_boundaries;
    std::int64_t micro_batch = 0;
    at::TensorOptions like;  ///< type and device of activations
};

/// An action as it ran, in seconds of its recording's clock.
struct Performed {
    schedule::Action action;
    double begin_s = 0;
    double waited_s = 0;  ///< for its input, at the beginning
    double end_s = 0;
};
/// What a rank did since the timeline's clock was started: the executor's actions, in order, and
/// what it told other ranks in the midst of them.
struct Recording {
    Timeline timeline;
    std::vector<Performed> actions;
};

class Executor {
public:
    Executor(NetParts generator, NetParts discriminator, StepEnvironment& environment,
             Pipeline pipeline = {});
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    Executor(Executor&&) = delete;
    Executor& operator=(Executor&&) = delete;
    ~Executor();

    /// Run one coordinate's list. Precondition: the schedule has been checked. Afterwards nothing
    /// is kept, also when an error of the environment ended it: with one coordinate run() may then
    /// be called again.
    void run(const std::vector<schedule::Action>& actions, Recording* recording = nullptr);

    /// Most bytes of saved activations, inputs kept for recomputation, gradients held for B and W,
    /// and fakes that lived between two actions of any run(); memory that several of them share
    /// counts once.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept;
    /// Most micro-batches of each net whose activations were saved at once.
    [[nodiscard]] schedule::KeptPeak peak_kept() const noexcept;

private:
    void clear();
    void perform(const schedule::Action& action);
    void record(const schedule::Action& action, Recording& recording);
    void forward(const schedule::Action& action);
    void recompute(const schedule::Action& action);
    void backward(const schedule::Action& action);
    void weights(const schedule::Action& action);
    [[nodiscard]] at::Tensor input_of(const schedule::Action& action);
    void deliver(const schedule::Action& action, at::Tensor y);
    [[nodiscard]] at::Tensor output_gradient_of(const schedule::Action& action);
    void deliver_gradient(const schedule::Action& action, at::Tensor gradient);
    void weights_of(const schedule::Action& action, std::size_t layer, nn::Stage::Context& kept);
    [[nodiscard]] const NetParts& parts(schedule::NetId net) const;
    [[nodiscard]] const LocalStage& local_stage(const schedule::Action& action) const;

    struct State;
    NetParts generator_, discriminator_;
    StepEnvironment& environment_;
    int last_stage_ = 0;  ///< of either net
    std::unique_ptr<State> state_;
};

}  // namespace civitas::parallel
