#pragma once
/// A plan in words, tables and pictures.
#include "civitas/strategy/shard_offers.hpp"

#include <string>

namespace civitas::app {

/// Stages with their layers, step and memory of each coordinate, traffic.
[[nodiscard]] std::string to_text(const planner::StepPlan& plan, const planner::CostModel& model);

/// A line for each shard level of a layout. Precondition: there is one at least.
[[nodiscard]] std::string to_text(const std::vector<strategy::ShardOffer>& offers);
/// Of offers with --offload; ratios are to `seconds`, those of a step without.
[[nodiscard]] std::string offload_text(const std::vector<strategy::ShardOffer>& offers,
                                       double seconds);

}  // namespace civitas::app
