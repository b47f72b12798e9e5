#pragma once
/// Steps of training on one rank: the table of its pipe coordinate, run over its stages of all
/// nets, by each of its replicas.
#include "civitas/parallel/replicas.hpp"
#include "civitas/tasks/step_task.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace civitas::tasks {

/// What steps are run over.
struct ModelParts {
    std::vector<parallel::ReplicaNets> replicas;    ///< of each all nets
    std::unique_ptr<comm::PointToPoint> transport;  ///< null with one pipe coordinate
    gpu::MakeGraph graphs = {};  ///< see parallel::Launch; null: none are recorded
};
/// The stages of the models' own layers, and a transport for messages along the pipe axis of the
/// mesh. Collective.
[[nodiscard]] ModelParts parts_of(Models& models, const comm::Mesh& mesh);

class StepExecutor {
public:
    /// Steps over `parts`. `next_tiles`: see StepTask. All that
    /// is referred to must outlive this.
    StepExecutor(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                 const StepShare& share, Models& models, ModelParts parts,
                 std::function<at::Tensor()> next_tiles);

    /// Runs the table of a step, which finish() of the task ends. Collective. An error of one rank
    /// becomes an AgreedError of all where they can still meet in this step: see
    /// StepTask::fail_together.
    void run(StepIndex step, parallel::ActionObserver* observer = nullptr,
             parallel::Launch launch = parallel::Launch::each);
    /// Runs only those actions of the table that lead to leaves, and changes nothing. Collective.
    void run_leaves(StepIndex step);
    /// Ends what is on its way after an error that all ranks know of. Collective.
    void drain_after(const AgreedError& error);

    [[nodiscard]] StepTask& task() noexcept { return task_; }
    [[nodiscard]] const StepTask& task() const noexcept { return task_; }
    [[nodiscard]] const parallel::Replicas& replicas() const noexcept { return replicas_; }
    /// What carries messages along the pipe; null with one coordinate.
    [[nodiscard]] comm::PointToPoint* transport() const noexcept { return transport_.get(); }

private:
    const comm::Mesh& mesh_;
    const std::vector<schedule::Action>& table_;
    std::unique_ptr<comm::PointToPoint> transport_;
    StepTask task_;
    parallel::Replicas replicas_;
};

}  // namespace civitas::tasks
