#include "civitas/tasks/pipe_view.hpp"

#include "civitas/net/own_kernel.hpp"

#include <ATen/ops/empty.h>
#include <cstddef>
#include <utility>

namespace civitas::tasks {

std::vector<net::ImageShape> boundary_shapes_of(const planner::ExecutionLayout& layout,
                                                schedule::NetId which,
                                                const net::NetDescription& net) {
    const net::TensorSplit& cuts = layout.split_of(which);
    std::vector<net::ImageShape> boundary_shapes{net::local_shape(net, cuts, 0)};
    for (const Range layers : layout.stages_of(which))
        boundary_shapes.push_back(net::local_shape(net, cuts, layers.end()));
    return boundary_shapes;
}

PipeView pipe_view_of(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                      schedule::NetId which, const net::NetDescription& net) {
    PipeView view{mesh.group(Axis::pipe),
                  mesh.group(Axis::tensor),
                  {},
                  boundary_shapes_of(layout, which, net)};
    for (const StageId stage : each<StageId>(std::ssize(layout.stages_of(which))))
        view.owners.push_back(layout.placement.coordinate_of(which, stage));
    return view;
}

std::string place_of(const comm::Mesh& mesh) {
    if (mesh.world().size() == 1) return "";
    const Coordinate here = mesh.coordinate();
    return text("at ", to_string(here), ": ");
}

parallel::Pipeline pipeline_of(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                               const planner::Workload& workload, comm::PointToPoint* transport,
                               at::Device device) {
    std::vector<std::vector<net::ImageShape>> boundaries;
    for (const schedule::NetId which : workload.graph.net_ids())
        boundaries.push_back(boundary_shapes_of(layout, which, workload[which].description));
    return {.graph = layout.schedule.graph,
            .placement = layout.placement,
            .here = mesh.coordinate().pipe(),
            .transport = transport,
            .order = &layout.messages.at(static_cast<std::size_t>(mesh.coordinate().pipe())),
            .boundaries = std::move(boundaries),
            .micro_batch = workload.micro_batch,
            .like = at::TensorOptions().dtype(nn::compute_type(workload.precision)).device(device)};
}

std::vector<optim::StageLayers> local_stages(const comm::Mesh& mesh,
                                             const planner::ExecutionLayout& layout,
                                             schedule::NetId which, const net::NetDescription& net,
                                             const net::KernelOptions& kernels) {
    std::vector<optim::StageLayers> local;
    for (const StageId stage : layout.placement.stages_of(which, mesh.coordinate().pipe())) {
        const Range layers = layout.stages_of(which).at(static_cast<std::size_t>(stage));
        const auto cuts = net::part_of(layout.split_of(which), layers);
        local.push_back({stage, net::with_kernels(net::local_net(net::part_of(net, layers), cuts,
                                                                 mesh.coordinate()[Axis::tensor]),
                                                  kernels)});
    }
    return local;
}

at::Tensor forward_through_pipe(const PipeView& stages, at::Tensor x,
                                const std::function<at::Tensor(StageId, const at::Tensor&)>& run,
                                const std::function<void()>& meet) {
    const auto type = x.options();
    const std::int64_t samples = x.size(0);
    for (const StageId stage : each<StageId>(std::ssize(stages.owners))) {
        const Rank home = comm::rank_on_pipe(stages.owners[static_cast<std::size_t>(stage)]);
        const bool here = stages.pipe.rank() == home;
        const net::ImageShape& s = stages.boundary_shapes.at(static_cast<std::size_t>(next(stage)));
        at::Tensor host =
            here ? run(stage, x)
                       .to(at::TensorOptions().dtype(type.dtype()).device(at::kCPU))
                       .contiguous()
                 : at::empty({samples, s.channels, s.height, s.width}, type.device(at::kCPU));
        meet();
        stages.pipe.broadcast(std::span(static_cast<std::byte*>(host.data_ptr()), host.nbytes()),
                              home);
        x = host.to(type.device()).contiguous(at::MemoryFormat::ChannelsLast);
    }
    return x;
}

bool reads_tiles(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                 const planner::Workload& workload) {
    return layout.placement.coordinate_of(workload.reader(), first_stage) ==
           mesh.coordinate().pipe();
}

}  // namespace civitas::tasks
