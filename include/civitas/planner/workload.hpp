#pragma once
/// What a step computes, of whatever task: all that a plan is made from, but the machine.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/planner/served_model.hpp"
#include "civitas/schedule/step_graph.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::planner {

/// A net of a step, and what is kept for it.
struct WorkloadNet {
    net::NetDescription description;
    bool has_mean = false;     ///< a mean of its weights is kept
    bool reads_ahead = false;  ///< micro-batches of its input are read ahead of their turn
    int moments = 2;           ///< arrays like the weights that the optimizer keeps

    [[nodiscard]] OptimizerArrays kept() const { return {.moments = moments, .mean = has_mean}; }
    /// Numbers that a checkpoint has for each parameter: itself, moments and maybe the mean.
    [[nodiscard]] int saved_numbers() const { return 1 + kept().count(); }
};

/// A step of a batch: nets and passes, and the numbers that its cost depends on.
struct Workload {
    std::string name;  ///< `dcgan-64`
    schedule::StepGraph graph;
    std::vector<WorkloadNet> nets;  ///< by NetId
    std::int64_t batch = 1;         ///< samples of a step, of all ranks
    std::int64_t micro_batch = 1;   ///< samples
    net::Precision precision = net::Precision::fp32;
    net::KernelOptions kernels = {};
    /// Whether the task changes what a net made before the next net sees it, as noise does.
    bool copies_outputs = false;
    /// Whether batch norm normalises over what replicas compute at the same time.
    bool sync_batch_norm = false;
    /// Whether a rank keeps a copy of what it writes of a checkpoint.
    bool copies_checkpoints = false;
    /// With whom a rank shares the nets; none: it updates them together with others, or alone.
    std::optional<SharedModel> shared_model = {};
    /// What servers and workers a rank is among; none: it has all weights itself. `batch` is that
    /// of a part of a step, of which a rank makes one at a time.
    std::optional<ServedModel> served_model = {};

    [[nodiscard]] std::int64_t micro_batches() const { return batch / micro_batch; }
    /// The net whose input is read from the data.
    [[nodiscard]] schedule::NetId reader() const;
    /// Those that one rank of a mesh computes. Precondition: the data axis divides them.
    [[nodiscard]] std::int64_t micro_batches_of_rank(MeshShape mesh) const {
        return micro_batches() / mesh[Axis::data];
    }
    [[nodiscard]] const WorkloadNet& operator[](schedule::NetId net) const {
        return nets.at(static_cast<std::size_t>(net));
    }
    /// Layers [begin, end) of a net as a rank of the tensor axis holds them: each holds as much.
    [[nodiscard]] net::NetDescription local_part(const ExecutionLayout& layout, schedule::NetId net,
                                                 Range layers) const;
    /// Layers that a rank of a pipe coordinate holds of a net, one stage after the other.
    [[nodiscard]] net::NetDescription local_layers(const ExecutionLayout& layout,
                                                   schedule::NetId net,
                                                   PipeCoordinate coordinate) const;
    /// Those that one replica of a rank computes.
    [[nodiscard]] std::int64_t micro_batches_of_replica(const ExecutionLayout& layout) const {
        return micro_batches_of_rank(layout.mesh) / layout.replicas;
    }
    /// What a replica of a rank sums of a net in a step.
    [[nodiscard]] schedule::LeafCounts leaves(const ExecutionLayout& layout,
                                              schedule::NetId net) const;
    /// Precondition: servers keep the weights.
    [[nodiscard]] ServedNet served_net(const ExecutionLayout& layout, schedule::NetId net) const;
    /// Of these ranks of the job those that send most. Precondition: servers keep the weights.
    [[nodiscard]] ServedTraffic most_traffic(const ExecutionLayout& layout, Range ranks) const;
    /// Likewise, of all ranks.
    [[nodiscard]] ServedTraffic most_traffic(const ExecutionLayout& layout) const;
    /// How the tensor axis cuts each net. Throws UsageError where it cannot.
    [[nodiscard]] std::vector<net::TensorSplit> tensor_splits(int parts) const;
    /// Floating point operations of a step of the whole batch: every pass computes F; W where it
    /// makes leaves; B, of the first layer only where somebody takes the gradient of its input.
    [[nodiscard]] double flops() const;
};

[[nodiscard]] ValueBytes value_bytes(net::Precision precision);
/// Ranks that have weights together divide what updates them: then no level is below `optimizer`.
[[nodiscard]] DataAxis data_axis(const ExecutionLayout& layout);

[[nodiscard]] schedule::StepGraph graph_of(TaskKind task);
/// The step of a task.
[[nodiscard]] Workload workload_of(const Problem& problem, const Hyperparameters& hyperparameters);
/// With the copies of checkpoints that the run makes, and with whom its ranks share nets; where
/// servers keep the weights that of one part of a step.
[[nodiscard]] Workload workload_of(const Configuration& configuration);

}  // namespace civitas::planner
