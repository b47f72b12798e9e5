#include "along.hpp"

#include <ATen/ops/empty.h>
#include <cstddef>

namespace civitas::train {

std::vector<net::ImageShape> seams_of(const planner::ExecutionLayout& layout, schedule::Net which,
                                      const net::NetDescription& net) {
    const net::TensorPlan& cuts = layout.cuts_of(which);
    std::vector<net::ImageShape> seams{net::held_shape(net, cuts, 0)};
    for (const Range layers : layout.stages_of(which))
        seams.push_back(net::held_shape(net, cuts, layers.end()));
    return seams;
}

StagesAlong stages_along(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                         schedule::Net which, const net::NetDescription& net) {
    StagesAlong along{
        mesh.along(Axis::pipe), mesh.along(Axis::tensor), {}, seams_of(layout, which, net)};
    const auto stages = static_cast<int>(layout.stages_of(which).size());
    for (int stage = 0; stage < stages; ++stage)
        along.homes.push_back(layout.placement.coordinate_of(which, stage));
    return along;
}

std::string place_of(const comm::Mesh& mesh) {
    const Coordinate here = mesh.here();
    return text("at ", to_string(here), ": ");
}

parallel::Pipeline pipeline_of(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                               const planner::Problem& problem, comm::Transport* transport,
                               at::Device device) {
    const auto& gan = problem.gan();
    return {
        .placement = layout.placement,
        .here = mesh.here()[Axis::pipe],
        .transport = transport,
        .order = &layout.messages.at(static_cast<std::size_t>(mesh.here()[Axis::pipe])),
        .generator_seams = seams_of(layout, schedule::Net::generator, gan.generator),
        .discriminator_seams = seams_of(layout, schedule::Net::discriminator, gan.discriminator),
        .micro_batch = problem.micro_batch,
        .like = at::TensorOptions().dtype(nn::compute_type(problem.precision)).device(device)};
}

std::vector<StageLayers> held_stages(const comm::Mesh& mesh, const planner::ExecutionLayout& layout,
                                     schedule::Net which, const net::NetDescription& net) {
    std::vector<StageLayers> held;
    for (const int stage : layout.placement.stages_of(which, mesh.here()[Axis::pipe])) {
        const Range layers = layout.stages_of(which).at(static_cast<std::size_t>(stage));
        const auto cuts = net::part_of(layout.cuts_of(which), layers);
        held.push_back(
            {stage, net::tensor_part(net::part_of(net, layers), cuts, mesh.here()[Axis::tensor])});
    }
    return held;
}

at::Tensor carry(const StagesAlong& stages, at::Tensor x,
                 const std::function<at::Tensor(int, const at::Tensor&)>& run,
                 const std::function<void()>& meet) {
    const auto type = x.options();
    const std::int64_t samples = x.size(0);
    for (std::size_t stage = 0; stage < stages.homes.size(); ++stage) {
        const Rank home{stages.homes[stage]};
        const bool here = stages.pipe.rank() == home;
        const net::ImageShape& s = stages.seams.at(stage + 1);
        at::Tensor host =
            here ? run(static_cast<int>(stage), x)
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

}  // namespace civitas::train
