#include "civitas/planner/workload.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/classifier.hpp"
#include "civitas/schedule/gan.hpp"

#include <algorithm>

namespace civitas::planner {

using schedule::NetId;

namespace {

/// Of one sample forward: all layers, and the first alone, whose input may need no gradient.
struct NetFlops {
    double all = 0;
    double first = 0;
};

/// Leaves one part of a step.
void serve(Workload& workload, const UpdateOptions& update) {
    const ServerRoles roles(update.ranks, update.servers);
    const std::int64_t staleness = update.max_staleness.value_or(0);
    const auto nets = workload.graph.net_ids();
    const bool awaited = std::any_of(nets.begin(), nets.end(),
                                     [&](NetId net) { return workload.graph.is_awaited(net); });
    workload.served_model =
        ServedModel{.roles = roles,
                    .me = Rank{update.rank},
                    .parts = parts_of_step(workload.micro_batches(), roles.workers()),
                    .max_staleness = staleness,
                    .waits_within = staleness == 0 && awaited,
                    .nodes = update.nodes.value_or(NodeMap::filled(update.ranks, update.ranks))};
    workload.batch /= workload.served_model->parts;
}

NetFlops flops_of(const net::NetDescription& net) {
    return {.all = net::forward_flops(net),
            .first = net::forward_flops(net.layers.front(), net.input)};
}

}  // namespace

ValueBytes value_bytes(net::Precision precision) {
    const std::int64_t master = precision == net::Precision::fp64 ? 8 : 4;
    return {.compute = precision == net::Precision::bf16 ? 2 : master, .master = master};
}

net::NetDescription Workload::local_part(const ExecutionLayout& layout, NetId net,
                                         Range layers) const {
    return net::local_net(net::part_of((*this)[net].description, layers),
                          net::part_of(layout.split_of(net), layers), 0);
}

net::NetDescription Workload::local_layers(const ExecutionLayout& layout, NetId net,
                                           PipeCoordinate coordinate) const {
    net::NetDescription local;
    for (const StageId stage : layout.placement.stages_of(net, coordinate)) {
        const Range layers = layout.stages_of(net).at(static_cast<std::size_t>(stage));
        const auto part = local_part(layout, net, layers);
        local.layers.insert(local.layers.end(), part.layers.begin(), part.layers.end());
    }
    return local;
}

schedule::LeafCounts Workload::leaves(const ExecutionLayout& layout, NetId net) const {
    return {.per_pass = micro_batches_of_replica(layout),
            .passes = static_cast<int>(graph.trained_by(net).size())};
}

ServedNet Workload::served_net(const ExecutionLayout& layout, NetId net) const {
    return {.description = (*this)[net].description,
            .leaves = leaves(layout, net),
            .kept = (*this)[net].kept(),
            .values = value_bytes(precision),
            .awaited = graph.is_awaited(net)};
}

ServedTraffic Workload::most_traffic(const ExecutionLayout& layout, Range ranks) const {
    std::vector<ServedTraffic> traffic(static_cast<std::size_t>(served_model->roles.ranks()));
    for (const NetId net : graph.net_ids()) {
        const auto of_net = traffic_of_ranks(*served_model, served_net(layout, net));
        for (std::size_t rank = 0; rank < traffic.size(); ++rank) traffic[rank] += of_net[rank];
    }
    ServedTraffic most;
    for (std::int64_t rank = ranks.begin; rank < ranks.end(); ++rank) {
        const ServedTraffic& one = traffic.at(static_cast<std::size_t>(rank));
        most.gradients = std::max(most.gradients, one.gradients);
        most.weights = std::max(most.weights, one.weights);
    }
    return most;
}

ServedTraffic Workload::most_traffic(const ExecutionLayout& layout) const {
    return most_traffic(layout, {0, served_model->roles.ranks()});
}

std::vector<net::TensorSplit> Workload::tensor_splits(int parts) const {
    std::vector<net::TensorSplit> splits;
    for (const WorkloadNet& net : nets) splits.push_back(net::tensor_split(net.description, parts));
    return splits;
}

double Workload::flops() const {
    double sum = 0;
    for (const schedule::PassId pass : graph.pass_ids()) {
        const NetFlops net = flops_of((*this)[graph[pass].net].description);
        sum += 2 * net.all - (graph.gradient_to(pass) ? 0 : net.first);
        if (graph[pass].weights) sum += net.all;
    }
    return static_cast<double>(batch) * sum;
}

NetId Workload::reader() const {
    for (const NetId net : graph.net_ids())
        if ((*this)[net].reads_ahead) return net;
    ensure(false, "a step reads data");
    return {};
}

DataAxis data_axis(const ExecutionLayout& layout) {
    const auto least = layout.ranks_of_node > 1 ? ShardLevel::optimizer : ShardLevel::none;
    return {layout.mesh[Axis::data], std::max(layout.shard, least), layout.offload,
            layout.ranks_of_node, layout.replicas};
}

schedule::StepGraph graph_of(TaskKind task) {
    return task == TaskKind::gan ? schedule::gan::graph() : schedule::classifier::graph();
}

Workload workload_of(const Problem& problem, const Hyperparameters& hyperparameters) {
    const Nets& nets = problem.nets;
    const int moments = hyperparameters.moments();
    Workload workload{.name = nets.name(),
                      .graph = graph_of(problem.task()),
                      .nets = {},
                      .batch = problem.batch,
                      .micro_batch = problem.micro_batch,
                      .precision = problem.precision,
                      .kernels = problem.kernels(),
                      .sync_batch_norm = problem.sync_batch_norm};
    if (problem.task() == TaskKind::classify) {
        workload.nets = {{.description = nets[schedule::classifier::net],
                          .reads_ahead = true,
                          .moments = moments}};
        return workload;
    }
    workload.nets = {{.description = nets[schedule::gan::generator],
                      .has_mean = hyperparameters.ema > 0,
                      .moments = moments},
                     {.description = nets[schedule::gan::discriminator],
                      .reads_ahead = true,
                      .moments = moments}};
    workload.copies_outputs = hyperparameters.instance_noise > 0 || hyperparameters.translate > 0;
    return workload;
}

Workload workload_of(const Configuration& c) {
    Workload workload = workload_of(c.problem, c.hyperparameters);
    workload.copies_checkpoints = c.run_options.checkpoint_mode == CheckpointMode::async;
    if (c.update.kind == UpdateKind::async)
        workload.shared_model = SharedModel{c.update.ranks, c.update.moments};
    if (c.update.kind == UpdateKind::server) serve(workload, c.update);
    return workload;
}

}  // namespace civitas::planner
