#include "civitas/tasks/step_executor.hpp"

#include "civitas/comm/failure.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"

#include <utility>

namespace civitas::tasks {
namespace {

parallel::Pipeline with_graphs(parallel::Pipeline pipeline, const gpu::MakeGraph& graphs) {
    pipeline.graphs = graphs;
    return pipeline;
}

StepShare with_inputs_for(const gpu::MakeGraph& graphs, StepShare share) {
    share.inputs_stay = share.inputs_stay || graphs != nullptr;
    return share;
}

}  // namespace

ModelParts parts_of(Models& models, const comm::Mesh& mesh) {
    ModelParts parts;
    for (int replica = 0; replica < models.all().front()->replicas(); ++replica)
        parts.replicas.push_back(models.parts(replica));
    if (mesh.shape()[Axis::pipe] > 1) parts.transport = mesh.transport();
    return parts;
}

StepExecutor::StepExecutor(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                           const StepShare& share, Models& models, ModelParts parts,
                           std::function<at::Tensor()> next_tiles)
    : mesh_(mesh),
      table_(layout.schedule[mesh.coordinate().pipe()]),
      transport_(std::move(parts.transport)),
      task_(mesh, layout, with_inputs_for(parts.graphs, share), models, std::move(next_tiles)),
      replicas_(
          std::move(parts.replicas), task_,
          with_graphs(pipeline_of(mesh, layout, share.workload, transport_.get(), share.device),
                      parts.graphs),
          share.micro_batches.count()) {}

void StepExecutor::run(StepIndex step, parallel::ActionObserver* observer,
                       parallel::Launch launch) {
    try {
        task_.begin(step);
        replicas_.run(table_, observer, launch);
        task_.await_decisions();
    } catch (const comm::Revoked&) {
        task_.leave_together();
    } catch (const AgreedError&) {
        throw;
    } catch (const std::exception& e) {
        task_.fail_together(std::make_exception_ptr(placed(mesh_, e)));
        throw;
    }
}

// They keep the memory of a step, which is needed now.
void StepExecutor::run_leaves(StepIndex step) {
    replicas_.forget_graphs();
    task_.begin(step);
    replicas_.run(leaves_only(table_));
}

void StepExecutor::drain_after(const AgreedError& error) {
    tasks::drain_after(error, mesh_, transport_.get());
}

}  // namespace civitas::tasks
