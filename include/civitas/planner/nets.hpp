#pragma once
/// Both nets of a problem, and what a layout leaves of them to one rank.
#include "civitas/planner/execution_layout.hpp"
#include "civitas/planner/layer_costs.hpp"

namespace civitas::planner {

[[nodiscard]] ValueBytes value_bytes(net::Precision precision);

[[nodiscard]] const net::NetDescription& net_of(const net::GanDescription& gan,
                                                schedule::NetId which);

/// Layers [begin, end) of a net as a rank of the tensor axis holds them: each holds as much.
[[nodiscard]] net::NetDescription local_part(const net::GanDescription& gan,
                                             const ExecutionLayout& layout, schedule::NetId which,
                                             Range layers);

/// Layers that a rank of a pipe coordinate holds of a net, one stage after the other.
[[nodiscard]] net::NetDescription local_layers(const net::GanDescription& gan,
                                               const ExecutionLayout& layout, schedule::NetId which,
                                               int coordinate);

/// What a rank of a mesh sums of a net in a step.
[[nodiscard]] schedule::LeafCounts leaves_of(const Problem& problem, MeshShape mesh,
                                             schedule::NetId which);

/// Whether a mean of the weights is kept.
[[nodiscard]] bool has_mean(const Hyperparameters& hyperparameters, schedule::NetId which);

}  // namespace civitas::planner
