#pragma once
/// Who computes what, and who sends what to whom in which order: of all ranks, in every step.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/net/partition.hpp"
#include "civitas/net/tensor_split.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/schedule/message_order.hpp"

#include <vector>

namespace civitas::planner {

/// By NetId.
using net::StagesOfNets;

/// Stages, placement, schedule and messages of all ranks: complete when lay_out() returns what is
/// to run, and then never changed.
struct ExecutionLayout {
    MeshShape mesh;
    int replicas = 1;  ///< of the nets in a rank, each with a table over its micro-batches
    ShardLevel shard = ShardLevel::none;
    Offload offload = Offload::none;  ///< what is done: on CPUs `host` is nothing
    /// Ranks of each group along the data axis that share a node, at least, where they would have
    /// whole weights together; 1: each rank has what it has for itself.
    int ranks_of_node = 1;
    bool sums_behind = false;  ///< whether sums over the data axis, between nodes, go on behind W
    schedule::Schedule schedule;
    schedule::StagePlacement placement{1};
    /// Of each pipe coordinate; empty in a layout that is only looked at.
    std::vector<schedule::MessageOrder> messages;
    StagesOfNets stages;
    std::vector<net::TensorSplit> splits;  ///< by NetId: how the tensor axis cuts each layer

    [[nodiscard]] const std::vector<Range>& stages_of(schedule::NetId net) const {
        return stages.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] schedule::StageCounts stage_counts() const {
        return schedule::stage_counts_of(stages);
    }
    [[nodiscard]] const net::TensorSplit& split_of(schedule::NetId net) const {
        return splits.at(static_cast<std::size_t>(net));
    }
    /// Whether a net's stages lie on the coordinates the other way round than the first net's.
    [[nodiscard]] bool is_reversed(schedule::NetId net) const {
        return placement.coordinate_of(schedule::NetId{0}, first_stage) !=
               placement.coordinate_of(net, first_stage);
    }
    /// Whether some net's stages lie on the coordinates the other way round than the first net's.
    [[nodiscard]] bool has_reversed() const;
};

/// The kind of device of each pipe coordinate: by --stage-devices, or --device for all of them.
/// Throws UsageError for a wrong number.
[[nodiscard]] std::vector<DeviceKind> stage_devices(const LayoutOptions& options, MeshShape mesh);

}  // namespace civitas::planner
