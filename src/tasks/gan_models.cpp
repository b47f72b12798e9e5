#include "civitas/tasks/gan_models.hpp"

#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/traffic.hpp"
#include "civitas/tasks/pipe_view.hpp"

namespace civitas::tasks {
namespace {

/// Where models lie.
struct Memory {
    ModelMemory of_models;
    optim::GatherRoom* room = nullptr;
};

/// Where the ranks of a node gather weights; null where each has its own memory for it.
std::unique_ptr<optim::GatherRoom> gather_room_of(const planner::Configuration& c,
                                                  const planner::ExecutionLayout& layout,
                                                  const comm::Mesh& mesh) {
    const comm::TensorCollectives& data = mesh.collectives(Axis::data);
    if (data.nodes() == nullptr || layout.ranks_of_node == 1) return nullptr;
    const planner::Workload workload = planner::workload_of(c.problem, c.hyperparameters);
    const planner::ValueBytes values = planner::value_bytes(workload.precision);
    schedule::Costs costs;
    for (const schedule::NetId which : workload.graph.net_ids()) {
        auto& stages = costs.nets.emplace_back();
        for (const Range layers : layout.stages_of(which)) {
            const auto part = workload.local_part(layout, which, layers);
            stages.push_back({.gathered_bytes = planner::gathered_bytes(part, values)});
        }
    }
    const std::int64_t bytes =
        schedule::gather_room(layout.schedule, mesh.coordinate().pipe(), costs);
    return bytes == 0 ? nullptr : std::make_unique<optim::GatherRoom>(data, bytes);
}

optim::ModelOptions net_options(const planner::Configuration& c,
                                const planner::ExecutionLayout& layout, schedule::NetId which,
                                const environment::Process& process, const comm::Mesh& mesh,
                                const Memory& memory) {
    optim::ModelOptions o;
    o.updater.optimizer = {.kind = c.hyperparameters.optimizer,
                           .beta1 = c.hyperparameters.beta1,
                           .beta2 = c.hyperparameters.beta2,
                           .momentum = c.hyperparameters.momentum,
                           .weight_decay = c.hyperparameters.weight_decay,
                           .schedule = c.hyperparameters.rate,
                           .kernels = c.problem.kernels().choice.adam()};
    o.updater.leaves = planner::workload_of(c.problem, c.hyperparameters).leaves(layout, which);
    o.updater.replicas = layout.replicas;
    o.updater.reduction = c.layout_options.reduction;
    o.updater.shard = layout.shard;
    o.updater.offload_to = memory.of_models.offload_to;
    o.room = memory.room;
    o.updater.data = &mesh.collectives(Axis::data);
    o.updater.node_memory = layout.ranks_of_node > 1;
    o.precision = c.problem.precision;
    o.device = process.device;
    o.seed = Seed{c.problem.seed};
    o.layers.tensor = &mesh.collectives(Axis::tensor);
    if (c.problem.sync_batch_norm) o.layers.normalise_with = &mesh.mpi_collectives();
    return o;
}

optim::ModelOptions generator_options(const planner::Configuration& c,
                                      const planner::ExecutionLayout& layout,
                                      const environment::Process& process, const comm::Mesh& mesh,
                                      const Memory& memory) {
    optim::ModelOptions o = net_options(c, layout, schedule::gan::generator, process, mesh, memory);
    o.name = "generator";
    o.shared = memory.of_models.generator;
    o.updater.optimizer.learning_rate = c.hyperparameters.generator_lr;
    o.updater.ema = c.hyperparameters.ema;
    return o;
}

optim::ModelOptions discriminator_options(const planner::Configuration& c,
                                          const planner::ExecutionLayout& layout,
                                          const environment::Process& process,
                                          const comm::Mesh& mesh, const Memory& memory) {
    optim::ModelOptions o =
        net_options(c, layout, schedule::gan::discriminator, process, mesh, memory);
    o.name = "discriminator";
    o.shared = memory.of_models.discriminator;
    o.updater.optimizer.learning_rate = c.hyperparameters.discriminator_lr;
    return o;
}

}  // namespace

GanModels::GanModels(const planner::Configuration& c, const planner::ExecutionLayout& layout,
                     const environment::Process& process, const comm::Mesh& mesh,
                     const ModelMemory& memory)
    : room(gather_room_of(c, layout, mesh)),
      generator(local_stages(mesh, layout, schedule::gan::generator, c.problem.gan().generator,
                             c.problem.kernels()),
                generator_options(c, layout, process, mesh, {memory, room.get()})),
      discriminator(local_stages(mesh, layout, schedule::gan::discriminator,
                                 c.problem.gan().discriminator, c.problem.kernels()),
                    discriminator_options(c, layout, process, mesh, {memory, room.get()})) {}

optim::ModelState& GanModels::operator[](schedule::NetId which) {
    return which == schedule::gan::generator ? generator : discriminator;
}

}  // namespace civitas::tasks
