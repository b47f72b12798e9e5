#pragma once
/// What each shard level saves of a layout's memory, and what it costs in time.
#include "civitas/planner/step_plan.hpp"

#include <vector>

namespace civitas::strategy {

/// The levels that a mesh may have, least first: without replicas that of the options alone.
/// Batch norm over replicas and sums in MPI's order do not go with divided gradients, and a table
/// of the user's own that gathers weights is for divided weights alone.
[[nodiscard]] std::vector<ShardLevel> shard_levels(const planner::Workload& workload,
                                                   const planner::LayoutOptions& options,
                                                   MeshShape mesh);

/// Whether gradients of replicas are summed as one rank sums them: these are a power of two, or,
/// where each takes neighbours among the micro-batches, what each of them takes is.
[[nodiscard]] bool sums_as_one_rank(std::int64_t micro_batches, int replicas, ShardLevel level);

/// A step of a layout at one level.
struct ShardOffer {
    ShardLevel level = ShardLevel::none;
    planner::RankMemory memory;   ///< of the rank that needs most
    std::int64_t sent_bytes = 0;  ///< along the data axis in a step, by the rank that sends most
    double seconds = 0;           ///< of a step
};

/// What a layout is at each of its levels, which compute the same stages in the same order; nothing
/// where there is no other level. `plan`: made with `options`.
[[nodiscard]] std::vector<ShardOffer> shard_offers(const planner::CostModel& model,
                                                   const planner::LayoutOptions& options,
                                                   const planner::StepPlan& plan);

/// The same with what can be offloaded, of GPUs to host memory, else to a disk; also of a layout
/// that has but one level. Nothing where that is done anyway.
[[nodiscard]] std::vector<ShardOffer> offload_offers(const planner::CostModel& model,
                                                     planner::LayoutOptions options,
                                                     const planner::StepPlan& plan);

}  // namespace civitas::strategy
