#pragma once
/// Which numbers and words an option takes. All throw UsageError with the bounds.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/planner/workload.hpp"

namespace civitas::planner {

/// Numbers of the hyperparameters and of the run, and the names of --allow-change.
void check_values(const Configuration& configuration);

/// A number of ranks, or 0.
[[nodiscard]] int checked_node_size(std::int64_t ranks);

/// Nets that can be, of widths that are far above what is of use and far below what overflows.
[[nodiscard]] Nets checked_nets(NetChoice choice);

/// Likewise the batch and its number of micro-batches.
void check_sizes(const Problem& problem);

/// Likewise all that a step keeps of a batch: what is added up of it stays a 64-bit number of
/// bytes.
void check_step(const Problem& problem);

/// The batch can be shared out: `data` ranks, whole micro-batches each.
void check_batch(const Workload& workload, MeshShape mesh);

/// interleaved:v gives every coordinate v stages of each net, of a layer at least.
void check_chunks(const Problem& problem, const LayoutOptions& options);

}  // namespace civitas::planner
