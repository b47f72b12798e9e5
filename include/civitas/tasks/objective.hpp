#pragma once
/// What is learnt: what nets see of the data, what their outputs cost, and what is told of a step.
#include "civitas/base/step_value.hpp"
#include "civitas/base/task_kind.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/tasks/sample_range.hpp"

#include <ATen/core/Tensor.h>
#include <string>
#include <vector>

namespace civitas::tasks {

/// An input to find with where numbers go bad.
struct Probe {
    at::Tensor x;        ///< of the first net
    std::string finite;  ///< what it means that all nets give finite values
};

/// What a task is beside its step graph. Knows samples, not ranks: whoever computes a micro-batch
/// gets the same numbers. Its functions may be called by several threads at once. Whatever they
/// compute of tensors on a GPU is computed there, without waiting for it.
class Objective {
public:
    Objective() = default;
    Objective(const Objective&) = delete;
    Objective& operator=(const Objective&) = delete;
    virtual ~Objective() = default;

    /// What is drawn for the samples of a visit, and what is known of them beside their tiles: a
    /// few doubles each, (B,N), on the CPU. The other functions get them on the compute device.
    [[nodiscard]] virtual at::Tensor draws(const SampleRange& visit) const = 0;
    /// Returns x (B,C,H,W) for a net, in the compute type. `given`: tiles read for the pass, in
    /// fp32; what the pass that it takes its input from has put out; or undefined where a pass has
    /// neither.
    [[nodiscard]] virtual at::Tensor input(schedule::PassId pass, const at::Tensor& given,
                                           const at::Tensor& drawn_BN) const = 0;
    /// The few numbers that output_gradient() has to know of `given`; undefined for most passes.
    [[nodiscard]] virtual at::Tensor remembered(schedule::PassId /*pass*/,
                                                const at::Tensor& /*given*/,
                                                const at::Tensor& /*drawn_BN*/) const {
        return {};
    }
    /// Returns the gradient of `given`, in its shape, by that of the x which input() made of it.
    [[nodiscard]] virtual at::Tensor output_gradient(schedule::PassId pass,
                                                     const at::Tensor& gradient,
                                                     const at::Tensor& drawn_BN,
                                                     const at::Tensor& remembered) const = 0;
    /// Loss of a pass' outputs y (B,C,H,W).
    [[nodiscard]] virtual parallel::PassLoss loss(schedule::PassId pass, const at::Tensor& y,
                                                  const at::Tensor& drawn_BN) const = 0;

    /// How many figures there are of a micro-batch, of all passes together.
    [[nodiscard]] virtual std::int64_t figures() const = 0;
    /// What a step tells: of the batch, by sums in tree order. `figures`: for each micro-batch in
    /// ascending order those of each pass that ends in a loss.
    [[nodiscard]] virtual std::vector<StepValue> values_of(
        const std::vector<double>& figures) const = 0;
    /// For a micro-batch of a step.
    [[nodiscard]] virtual Probe probe(const SampleRange& visit) const = 0;
};

/// Figures of a micro-batch: of a GAN loss and mean probability in three passes, of a classifier
/// its loss, and shares of right first guesses and of classes among the first five.
[[nodiscard]] constexpr std::int64_t figures_of_micro_batch(TaskKind task) {
    return task == TaskKind::gan ? 6 : 3;
}

/// Sums of so many figures over micro-batches, in tree order.
[[nodiscard]] std::vector<double> sums_of(const std::vector<double>& figures, std::int64_t width);

}  // namespace civitas::tasks
