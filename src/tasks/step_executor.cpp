#include "civitas/tasks/step_executor.hpp"

#include "civitas/comm/failure.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"

#include <utility>

namespace civitas::tasks {

ModelParts parts_of(Models& models, const comm::Mesh& mesh) {
    ModelParts parts;
    for (int replica = 0; replica < models.all().front()->replicas(); ++replica) {
        parallel::ReplicaNets& nets = parts.replicas.emplace_back();
        for (const auto& net : models.all()) nets.push_back(net->parts(replica));
    }
    if (mesh.shape()[Axis::pipe] > 1) parts.transport = mesh.transport();
    return parts;
}

StepExecutor::StepExecutor(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                           const StepShare& share, Models& models, ModelParts parts,
                           std::function<at::Tensor()> next_tiles)
    : mesh_(mesh),
      table_(layout.schedule[mesh.coordinate().pipe()]),
      transport_(std::move(parts.transport)),
      task_(mesh, layout, share, models, std::move(next_tiles)),
      replicas_(std::move(parts.replicas), task_,
                pipeline_of(mesh, layout, share.workload, transport_.get(), share.device),
                share.micro_batches.count()) {}

void StepExecutor::run(StepIndex step, parallel::ActionObserver* observer) {
    task_.begin(step);
    try {
        replicas_.run(table_, observer);
    } catch (const comm::Revoked&) {
        task_.leave_together();
    } catch (const AgreedError&) {
        throw;
    } catch (const std::exception& e) {
        task_.fail_together(std::make_exception_ptr(placed(mesh_, e)));
        throw;
    }
}

void StepExecutor::run_leaves(StepIndex step) {
    task_.begin(step);
    replicas_.run(leaves_only(table_));
}

void StepExecutor::drain_after(const AgreedError& error) {
    tasks::drain_after(error, mesh_, transport_.get());
}

}  // namespace civitas::tasks
