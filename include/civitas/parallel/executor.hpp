#pragma once
/// Runs any table of actions of any step graph. Knows stages, messages, leaves and sums; knows
/// nothing of data, losses or updates, which it asks its task for.
#include "civitas/comm/point_to_point.hpp"
#include "civitas/gpu/graph.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/optim/net_parts.hpp"
#include "civitas/parallel/action_observer.hpp"
#include "civitas/schedule/kept_peak.hpp"
#include "civitas/schedule/message_order.hpp"
#include "civitas/schedule/schedule.hpp"

#include <ATen/core/Tensor.h>
#include <memory>
#include <vector>

namespace civitas::parallel {

/// What came of the outputs of one micro-batch in one pass.
struct PassLoss {
    /// The loss, then what else is told, in doubles on the device of the outputs: parts of means
    /// over the batch, so that those of all micro-batches add up to them.
    at::Tensor figures;
    at::Tensor gradient;  ///< of the loss, in the shape and type of the outputs
};

/// What a task gives to a step, at the ends of the nets. Micro-batches are counted within the rank.
/// Only the coordinates that hold the stage in question are asked.
class Task {
public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    /// Returns x (B,C,H,W) of a pass' first stage, in the compute type: B is the micro-batch, C, H
    /// and W are those of the net's input. It is the task's own data, or made of `output`: what the
    /// pass that it takes its input from has put out, else undefined. Asked again, with the same
    /// answer, when a table redraws.
    [[nodiscard]] virtual at::Tensor input(schedule::PassId pass, LocalMicroBatch micro,
                                           const at::Tensor& output) = 0;
    /// The samples that this micro-batch has, for layers that draw numbers (dropout). Asked before
    /// each F, and answered alike each time.
    [[nodiscard]] virtual nn::SampleRange samples(schedule::PassId /*pass*/,
                                                  LocalMicroBatch /*micro*/) {
        return {};
    }
    /// Returns the gradient of the `output` that input() was given, in its shape and type.
    /// `gradient`: that of the x which input() made of it, in the shape of x.
    [[nodiscard]] virtual at::Tensor output_gradient(schedule::PassId pass, LocalMicroBatch micro,
                                                     const at::Tensor& gradient) = 0;
    /// Returns the loss of a pass' outputs y (B,C,H,W). Gradients of all micro-batches add up to
    /// that of the step's loss.
    [[nodiscard]] virtual PassLoss loss(schedule::PassId pass, LocalMicroBatch micro,
                                        const at::Tensor& y) = 0;
    /// Notes the figures of what loss() has returned.
    virtual void record_loss(schedule::PassId /*pass*/, LocalMicroBatch /*micro*/,
                             const at::Tensor& /*figures*/) {}
    /// Statistics of the visited stage's batch norms, in layer order, from one F that counts: of a
    /// pass with weights, and never a redraw.
    virtual void record_statistics(const schedule::Action& visit,
                                   const std::vector<nn::Statistics>& statistics) = 0;
    /// All leaves of this rank's stages of the net have come: add them up over its passes and over
    /// the data axis.
    virtual void reduce(schedule::NetId net) = 0;
    /// Update the net with what reduce() has added up.
    virtual void update(schedule::NetId net) = 0;
};

/// This rank's place on the pipe axis and what travels along it: activations of whole micro-batches
/// and their gradients.
struct Pipeline {
    schedule::StepGraph graph;
    schedule::StagePlacement placement{1};
    PipeCoordinate here{};
    comm::PointToPoint* transport = nullptr;  ///< null when there is one coordinate
    const schedule::MessageOrder* order =
        nullptr;  ///< of `here`, for a transport that is in_order()
    /// By net: shapes of one sample before each stage and after the last. None with one stage.
    std::vector<std::vector<net::ImageShape>> boundaries = {};
    std::int64_t micro_batch = 0;
    at::TensorOptions like = {};  ///< type and device of activations
    /// What Launch::graphs records with; null: nothing is run so.
    gpu::MakeGraph graphs = {};
};

/// How the passes of a table, what lies between its gathers, sums and updates, come to a device.
enum class Launch {
    each,    ///< kernel by kernel
    graphs,  ///< recorded when they are first run so, then replayed
};

class Executor {
public:
    /// `nets`: what this rank holds of each net, in the order of the pipeline's graph.
    Executor(std::vector<optim::NetParts> nets, Task& task, Pipeline pipeline);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    ~Executor();

    /// Run one coordinate's list. Precondition: the schedule has been checked. Afterwards nothing
    /// is kept or gathered, also when an error of the task ended it: with one coordinate, and
    /// weights that are always whole, run() may then be called again. Precondition of
    /// Launch::graphs: one coordinate, whole weights, and leaves that are summed when all have
    /// come; the list and whatever the task gives lie where they lay in the step that was recorded,
    /// which is the first one run so. The observer hears of all passes between two sums as of the
    /// first.
    void run(const std::vector<schedule::Action>& actions, ActionObserver* observer = nullptr,
             Launch launch = Launch::each);

    /// Frees what Launch::graphs has recorded; the next step that is run so records again.
    void forget_graphs();

    /// Most bytes of saved activations, inputs kept for recomputation, gradients held for B and W,
    /// and outputs kept for several passes that lived between two actions of any run(); memory that
    /// several of them share counts once.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept;
    /// Most bytes of weights that were gathered at once in any run().
    [[nodiscard]] std::int64_t peak_gathered_bytes() const noexcept;
    /// Most bytes of messages that were on their way here at once in any run().
    [[nodiscard]] std::int64_t peak_message_bytes() const noexcept;
    /// Most micro-batches of each net whose activations were saved at once.
    [[nodiscard]] const schedule::KeptPeak& peak_kept() const noexcept;

private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace civitas::parallel
