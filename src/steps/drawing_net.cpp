#include "drawing_net.hpp"

#include "civitas/nn/number_types.hpp"

namespace civitas::steps {

DrawingNet::DrawingNet(const Run& run, const optim::ModelState& net, schedule::NetId which,
                       const optim::Buffers& statistics)
    : run_(run),
      net_(net),
      statistics_(statistics),
      gathers_(net.stage_weights() != nullptr),
      stages_(gathers_ ? std::map<StageId, nn::Stage>() : net.drawing_stages(statistics)),
      along_(tasks::pipe_view_of(run.mesh, run.plan.layout, which,
                                 run.configuration.problem.nets[which])) {}

at::TensorOptions DrawingNet::like() const {
    return at::TensorOptions()
        .dtype(nn::master_type(run_.configuration.problem.precision))
        .device(run_.process.device);
}

at::Tensor DrawingNet::forward(const at::Tensor& x_BCHW, const tasks::Meet& meet,
                               const Pass& pass) const {
    return tasks::forward_through_pipe(
        along_, x_BCHW,
        [&](StageId stage, const at::Tensor& x) {
            return gathers_ ? pass(stage, net_.drawing_stage(stage, statistics_), x)
                            : pass(stage, stages_.at(stage), x);
        },
        meet);
}

}  // namespace civitas::steps
