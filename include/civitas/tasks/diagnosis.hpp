#pragma once
/// Where numbers went bad.
#include "civitas/schedule/schedule.hpp"
#include "civitas/tasks/models.hpp"
#include "civitas/tasks/objective.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace civitas::tasks {

/// A net, the stages of it that this rank holds, and where the others are.
struct NetView {
    const optim::ModelState& local;
    PipeView stages;
};

/// Runs all nets, one after the other, on the input of a probe and names the first layer whose
/// weights or output are not finite, as a sentence part. By F of training of these samples; where
/// there are none by that of generation, which meets no replica, but needs the net's running
/// statistics. Collective along the pipe and tensor axes, with the same answer on all of them.
[[nodiscard]] std::string first_non_finite_layer(std::span<const NetView> nets, const Probe& probe,
                                                 const std::optional<nn::SampleRange>& samples);

/// The summed gradient of a net holds a NaN or an Inf. Thrown before the update, by all ranks.
class NonFiniteGradient : public AgreedError {
public:
    /// `parameter`: its name, and what is known of where it went bad.
    NonFiniteGradient(schedule::NetId net, const Models& models, const std::string& parameter,
                      StepIndex step);
    [[nodiscard]] schedule::NetId net() const noexcept { return net_; }
    [[nodiscard]] const std::string& parameter() const noexcept { return parameter_; }

private:
    schedule::NetId net_;
    std::string parameter_;
};

/// What to throw for a net whose reduced gradient is bad on some rank. Collective over all ranks.
[[nodiscard]] NonFiniteGradient non_finite_gradient(const comm::Communicator& world,
                                                    schedule::NetId which, const Models& models,
                                                    StepIndex step);

/// The table of a step without its reductions and updates: it makes all leaves once more.
[[nodiscard]] std::vector<schedule::Action> leaves_only(const std::vector<schedule::Action>& table);

/// The first bad leaf of all ranks as `conv1.weight, pass real, micro-batch 2,`, micro-batches
/// counted over the step; nothing when all ranks found theirs finite. `own`: this rank's
/// micro-batches. `passes`: with weights of the net. Collective.
[[nodiscard]] std::optional<std::string> first_of_all(const comm::Communicator& ranks,
                                                      const std::vector<std::string>& passes,
                                                      const std::optional<optim::BadLeaf>& mine,
                                                      const MicroBatchShare& own);

}  // namespace civitas::tasks
