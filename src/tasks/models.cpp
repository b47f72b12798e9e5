#include "civitas/tasks/models.hpp"

#include "civitas/base/text.hpp"
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/schedule/traffic.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <algorithm>

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
    const planner::Workload workload = planner::workload_of(c.problem, c.hyperparameters);
    optim::ModelOptions o;
    o.name = workload[which].description.name;
    if (const auto& shared = memory.of_models.shared; !shared.empty())
        o.shared = shared.at(static_cast<std::size_t>(which));
    o.updater.optimizer = {
        .kind = c.hyperparameters.optimizer,
        .learning_rate = c.hyperparameters.learning_rate(c.problem.task(), which),
        .beta1 = c.hyperparameters.beta1,
        .beta2 = c.hyperparameters.beta2,
        .momentum = c.hyperparameters.momentum,
        .weight_decay = c.hyperparameters.weight_decay,
        .schedule = c.hyperparameters.rate,
        .kernels = c.problem.kernels().choice.adam()};
    o.updater.ema = workload[which].has_mean ? c.hyperparameters.ema : 0;
    o.updater.leaves = workload.leaves(layout, which);
    o.updater.replicas = layout.replicas;
    o.updater.replica_devices = process.replica_devices;
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

}  // namespace

Models::Models(const planner::Configuration& c, const planner::ExecutionLayout& layout,
               const environment::Process& process, const comm::Mesh& mesh,
               const ModelMemory& memory)
    : room_(gather_room_of(c, layout, mesh)) {
    for (const schedule::NetId which : layout.schedule.graph.net_ids())
        nets_.push_back(std::make_unique<optim::ModelState>(
            local_stages(mesh, layout, which, c.problem.nets[which], c.problem.kernels()),
            net_options(c, layout, which, process, mesh, {memory, room_.get()})));
    for (int replica = 1; replica < std::ssize(process.replica_devices); ++replica) {
        const at::Device device = process.replica_devices[static_cast<std::size_t>(replica)];
        if (device == process.device) continue;
        for (const auto& net : nets_)
            elsewhere_[replica].push_back(std::make_unique<parallel::ReplicaWeights>(
                *net, replica, device, c.problem.precision));
    }
}

parallel::ReplicaNets Models::parts(int replica) {
    parallel::ReplicaNets parts;
    if (const auto elsewhere = elsewhere_.find(replica); elsewhere != elsewhere_.end())
        for (const auto& copy : elsewhere->second) parts.push_back(copy->parts());
    else
        for (const auto& net : nets_) parts.push_back(net->parts(replica));
    return parts;
}

void Models::follow(schedule::NetId which) {
    for (const auto& [replica, copies] : elsewhere_)
        copies.at(static_cast<std::size_t>(which))->follow();
}

bool Models::any_is_updating() const {
    return std::any_of(nets_.begin(), nets_.end(),
                       [](const auto& net) { return net->updater().is_updating(); });
}

std::int64_t Models::bytes() const {
    std::int64_t sum = 0;
    for (const auto& net : nets_) sum += net->bytes();
    return sum;
}

std::int64_t Models::offloaded_bytes() const {
    std::int64_t sum = 0;
    for (const auto& net : nets_) sum += net->offloaded_bytes();
    return sum;
}

std::string Models::lower_rates() const {
    std::string words;
    for (const auto& net : nets_)
        words += text(words.empty() ? "a lower --" : " or --", net->name(), "-lr");
    return words;
}

}  // namespace civitas::tasks
