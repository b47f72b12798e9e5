#pragma once
/// A net whose stages lie along the pipe axis, run as one where speed does not matter: drawing
/// samples, and finding where numbers went bad.
#include "civitas/comm/mesh.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/planner/workload.hpp"

#include <ATen/core/Tensor.h>
#include <functional>
#include <string>
#include <vector>

namespace civitas::tasks {

/// Where the stages of one net are, and the shapes of a sample before each and after the last, as
/// a rank of the tensor axis holds it.
struct PipeView {
    const comm::Communicator& pipe;
    const comm::Communicator& tensor;    ///< ranks that hold the parts of these stages
    std::vector<PipeCoordinate> owners;  ///< where each stage is
    std::vector<net::ImageShape> boundary_shapes;
};
[[nodiscard]] PipeView pipe_view_of(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                                    schedule::NetId which, const net::NetDescription& net);
[[nodiscard]] std::vector<net::ImageShape> boundary_shapes_of(
    const planner::ExecutionLayout& layout, schedule::NetId which, const net::NetDescription& net);

/// Whether the first stage of the net that sees tiles is held here.
[[nodiscard]] bool reads_tiles(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                               const planner::Workload& workload);

/// The place of this rank in words, `at data=0,pipe=1,tensor=0: `, to stand before what happened on
/// it alone; nothing on a mesh of one rank, where it would tell nothing.
[[nodiscard]] std::string place_of(const comm::Mesh& mesh);

/// This rank's place on the pipe axis, for an executor that computes on a device. `transport`: null
/// with one coordinate.
[[nodiscard]] parallel::Pipeline pipeline_of(const comm::Mesh& mesh,
                                             const planner::ExecutionLayout& layout,
                                             const planner::Workload& workload,
                                             comm::PointToPoint* transport, at::Device device);

/// The stages that this rank holds of a net, as descriptions cut for its place on the tensor axis,
/// with the kernels of the parts.
[[nodiscard]] std::vector<optim::StageLayers> local_stages(const comm::Mesh& mesh,
                                                           const planner::ExecutionLayout& layout,
                                                           schedule::NetId which,
                                                           const net::NetDescription& net,
                                                           const net::KernelOptions& kernels = {});

/// Sends x (B,C,H,W) through all stages of a net: `run(stage, x)` is called where the stage is, and
/// its x and result have the stage's boundary shapes, all B samples of them. Every rank of the axis
/// passes an x of this B, type and device (its values count where the first stage is) and gets the
/// net's output (B,C,H,W), channels-last, in the type and on the device of its x. `meet` is called
/// on every rank of the axis before each message: it may throw, the message cannot. Collective
/// along the pipe axis.
[[nodiscard]] at::Tensor forward_through_pipe(
    const PipeView& stages, at::Tensor x,
    const std::function<at::Tensor(StageId, const at::Tensor&)>& run,
    const std::function<void()>& meet = [] {});

}  // namespace civitas::tasks
