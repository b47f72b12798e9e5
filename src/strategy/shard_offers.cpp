#include "civitas/strategy/shard_offers.hpp"

#include "civitas/schedule/sharded_weights.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace civitas::strategy {
namespace {

ShardOffer offer_of(const planner::StepPlan& plan) {
    return {.level = plan.layout.shard,
            .memory = plan.largest_memory(),
            .sent_bytes = *std::max_element(plan.reduced_bytes.begin(), plan.reduced_bytes.end()),
            .seconds = plan.seconds_of_step()};
}

/// A layout that gathers no weights, which the others are made of.
planner::ExecutionLayout whole_layout(const planner::CostModel& model,
                                      planner::LayoutOptions options,
                                      const planner::StepPlan& plan) {
    if (!shards_weights(plan.layout.shard)) return plan.layout;
    options.shard = ShardLevel::none;
    options.placement =
        plan.layout.has_reversed() ? planner::StageOrder::reversed : planner::StageOrder::same;
    return lay_out(model, options, plan.layout.mesh, planner::SearchBudget::compare).layout;
}

}  // namespace

std::vector<ShardLevel> shard_levels(const planner::Workload& workload,
                                     const planner::LayoutOptions& options, MeshShape mesh) {
    const bool gathers = options.table() != nullptr && schedule::has_gathers(*options.table());
    if (mesh[Axis::data] == 1 || gathers) return {options.shard};
    const bool sums_at_once =
        !workload.sync_batch_norm && options.replicas == 1 && options.reduction == Reduction::tree;
    std::vector<ShardLevel> levels;
    for (const ShardLevel level : every_shard_level)
        if (sums_at_once || !shards_gradients(level)) levels.push_back(level);
    return levels;
}

bool sums_as_one_rank(std::int64_t micro_batches, int replicas, ShardLevel level) {
    const std::int64_t together = shards_gradients(level) ? replicas : micro_batches / replicas;
    return replicas == 1 || std::has_single_bit(static_cast<std::uint64_t>(together));
}

std::vector<ShardOffer> shard_offers(const planner::CostModel& model,
                                     const planner::LayoutOptions& options,
                                     const planner::StepPlan& plan) {
    const auto levels = shard_levels(model.workload(), options, plan.layout.mesh);
    if (levels.size() == 1) return {};
    const planner::ExecutionLayout whole = whole_layout(model, options, plan);
    std::vector<ShardOffer> offers;
    for (const ShardLevel level : levels)
        offers.push_back(
            offer_of(level == plan.layout.shard
                         ? plan
                         : plan_of(model, with_shard_level(whole, level, model.workload()))));
    return offers;
}

std::vector<ShardOffer> offload_offers(const planner::CostModel& model,
                                       planner::LayoutOptions options,
                                       const planner::StepPlan& plan) {
    if (plan.layout.offload != Offload::none) return {};
    options.offload = computes_on_gpus(model, options) ? Offload::host : Offload::disk;
    planner::ExecutionLayout layout = plan.layout;
    layout.offload = options.offload;
    const planner::StepPlan offloaded = plan_of(model, std::move(layout));
    auto offers = shard_offers(model, options, offloaded);
    if (offers.empty()) offers.push_back(offer_of(offloaded));
    return offers;
}

}  // namespace civitas::strategy
