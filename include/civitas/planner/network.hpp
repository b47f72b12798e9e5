#pragma once
/// What messages along each axis of a mesh go over.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/base/node_map.hpp"
#include "civitas/planner/layer_costs.hpp"
#include "civitas/planner/machine_model.hpp"

namespace civitas::planner {

/// The most ranks of one node that have somebody to talk to along the axis in another node: any of
/// their group, or their neighbours along the pipe, whose ends are neighbours too. 0: every group
/// lies within a node.
[[nodiscard]] int ranks_leaving(MeshShape mesh, Axis axis, const NodeMap& nodes);

/// The nodes of a machine, filled with `ranks` ranks in order.
[[nodiscard]] NodeMap nodes_of(const MachineModel& machine, int ranks);

/// The link along an axis: that within a node, or where any group leaves its node a share of the
/// network, which only carries what goes to other nodes: along data and tensor a rank sends as much
/// to each of its group, and the messages within the node travel meanwhile. No rank sends faster by
/// network than within its node. `nodes`: of the ranks of the mesh.
[[nodiscard]] Link link_along(const MachineModel& machine, const NodeMap& nodes, MeshShape mesh,
                              Axis axis);

}  // namespace civitas::planner
