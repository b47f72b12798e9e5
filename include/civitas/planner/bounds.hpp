#pragma once
/// Which numbers and words an option takes. Every check throws UsageError with the bounds.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/planner/workload.hpp"

namespace civitas::planner {

/// Describes the nets that were chosen. Throws UsageError for widths and nz out of range; the
/// bounds are far above what is of use and far below what overflows.
[[nodiscard]] Nets checked_nets(NetChoice choice);

/// Throws UsageError when batch or micro-batch is out of range, or when a batch has too many
/// micro-batches.
void check_sizes(const Problem& problem);

/// Throws UsageError for a number of the hyperparameters that is out of range.
void check_learning(const Hyperparameters& hyperparameters);

/// Throws UsageError where the cover of plans is to be as it is wished, but they have no channels
/// for it.
void check_condition(const Problem& problem, const Hyperparameters& hyperparameters);

/// Throws UsageError when a step keeps more of its batch than any machine can hold; below that,
/// sums of bytes fit into 64 bits.
void check_step(const Problem& problem);

/// Throws UsageError unless the batch can be shared out: whole micro-batches, as many for each of
/// the `data` ranks.
void check_batch(const Workload& workload, MeshShape mesh);

/// Throws UsageError where a rank cannot have several replicas: where its micro-batches cannot be
/// shared by them, and beside what divides or changes what ranks hold together.
void check_replicas(const Workload& workload, const LayoutOptions& options, MeshShape mesh);

/// Throws UsageError unless replicas can share the threads that are said.
void check_replica_threads(const LayoutOptions& options);

/// Throws UsageError where servers leave no worker, or may have to keep any number of gradients.
void check_servers(const UpdateOptions& update);

/// Throws UsageError when `interleaved:v` asks for more stages of a net on a coordinate, v, than
/// the smaller net has layers.
void check_chunks(const Problem& problem, const LayoutOptions& options);

/// Throws UsageError when gradients are divided and batch norm is to normalise over the data axis,
/// whose ranks then need neighbours among the micro-batches and not to take them in turn; and when
/// leaves that are summed at once are to be summed in MPI's own order.
void check_sharing(const Problem& problem, const LayoutOptions& options);

}  // namespace civitas::planner
