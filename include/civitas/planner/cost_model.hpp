#pragma once
/// What a step costs a rank, in seconds and bytes, under any layout.
#include "civitas/base/node_map.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/layer_timings.hpp"
#include "civitas/planner/rank_memory.hpp"

namespace civitas::planner {

/// What a workload costs on so many ranks of one machine: what a layout is looked for by, planned
/// by and compared with others by. The layout itself is no part of it.
class CostModel {
public:
    /// Takes the times of layers as given. `nodes`: of all ranks; `timings`: of the layers on a
    /// replica of one of them.
    CostModel(Workload workload, const MachineModel& machine, NodeMap nodes, LayerTimings timings);
    /// Takes the times of layers from estimated_timings(), for so many replicas a rank.
    CostModel(const Workload& workload, const MachineModel& machine, NodeMap nodes,
              int replicas = 1);
    /// Takes the times of layers from estimated_timings(), on nodes that are filled with ranks in
    /// order.
    CostModel(const Workload& workload, const MachineModel& machine, int ranks, int replicas = 1);

    [[nodiscard]] const Workload& workload() const noexcept { return workload_; }
    [[nodiscard]] const MachineModel& machine() const noexcept { return machine_; }
    [[nodiscard]] const NodeMap& nodes() const noexcept { return nodes_; }
    [[nodiscard]] int ranks() const { return nodes_.ranks(); }
    [[nodiscard]] const LayerTimings& timings() const noexcept { return timings_; }
    [[nodiscard]] ValueBytes value_bytes() const;

    /// Bytes of memory that a rank has.
    [[nodiscard]] double room() const { return memory_of_rank(machine_, ranks()); }
    /// What messages along an axis of a mesh of all ranks go over.
    [[nodiscard]] Link link(MeshShape mesh, Axis axis) const;

    /// Seconds and bytes of every stage, and of the messages between them.
    [[nodiscard]] schedule::Costs costs(const ExecutionLayout& layout) const;
    /// Bytes from step to step of layers that a rank of a layout's mesh holds of a net.
    [[nodiscard]] NetMemory net_memory(const net::NetDescription& local,
                                       const ExecutionLayout& layout, schedule::NetId which) const;
    /// Bytes of a rank at its peak. `costs`: those of this layout. They are of a GPU where the
    /// machine has any: then loader and process, which the host keeps, are nothing.
    [[nodiscard]] RankMemory memory(const ExecutionLayout& layout, const schedule::Costs& costs,
                                    Rank rank) const;
    /// The same of one pipe coordinate, with the largest parts that any of its ranks can have.
    [[nodiscard]] RankMemory memory(const ExecutionLayout& layout, const schedule::Costs& costs,
                                    PipeCoordinate coordinate) const;
    /// Bytes that a rank sends along the data axis in a step, or to servers and workers: of
    /// gradients and of weights. `costs`: those of this layout.
    [[nodiscard]] std::int64_t reduced_bytes(const ExecutionLayout& layout,
                                             const schedule::Costs& costs,
                                             PipeCoordinate coordinate) const;

private:
    struct Links;
    [[nodiscard]] RankMemory memory(const ExecutionLayout& layout, const schedule::Costs& costs,
                                    PipeCoordinate coordinate, DataAxis data) const;
    [[nodiscard]] schedule::StageCosts stage_costs(const ExecutionLayout& layout,
                                                   schedule::NetId which, Range layers,
                                                   const Links& links) const;
    /// Of the leaves that W makes of these layers, over ranks.
    void add_sums(schedule::StageCosts& stage, const ExecutionLayout& layout, schedule::NetId which,
                  const net::NetDescription& part, std::span<const LayerTimes> times,
                  const Links& links) const;

    Workload workload_;
    MachineModel machine_;
    NodeMap nodes_;
    LayerTimings timings_;
};

}  // namespace civitas::planner
