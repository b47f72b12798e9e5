#include "civitas/tasks/gan_steps.hpp"

#include "civitas/comm/failure.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"

#include <utility>

namespace civitas::tasks {

GanParts parts_of(GanModels& models, const comm::Mesh& mesh) {
    GanParts parts;
    for (int replica = 0; replica < models.generator.replicas(); ++replica)
        parts.replicas.push_back(
            {models.generator.parts(replica), models.discriminator.parts(replica)});
    if (mesh.shape()[Axis::pipe] > 1) parts.transport = mesh.transport();
    return parts;
}

GanSteps::GanSteps(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                   const StepShare& share, GanModels& models, GanParts parts,
                   std::function<at::Tensor()> next_real)
    : mesh_(mesh),
      table_(layout.schedule[mesh.coordinate().pipe()]),
      transport_(std::move(parts.transport)),
      task_(mesh, layout, share, models.generator, models.discriminator, std::move(next_real)),
      replicas_(
          std::move(parts.replicas), task_,
          pipeline_of(mesh, layout, planner::workload_of(share.problem, share.hyperparameters),
                      transport_.get(), share.device),
          share.micro_batches.count()) {}

void GanSteps::run(StepIndex step, parallel::ActionObserver* observer) {
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

void GanSteps::run_leaves(StepIndex step) {
    task_.begin(step);
    replicas_.run(leaves_only(table_));
}

void GanSteps::drain_after(const AgreedError& error) {
    tasks::drain_after(error, mesh_, transport_.get());
}

}  // namespace civitas::tasks
