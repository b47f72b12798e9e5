#pragma once
/// Ranks among which servers keep the weights, on paper: what they need, and send each other.
#include "civitas/planner/machine_model.hpp"
#include "civitas/planner/step_plan.hpp"

#include <string>
#include <vector>

namespace civitas::strategy {

/// Ranks that do the same. Servers keep slices of unequal size, which end at rows of parameters.
struct ServedRanks {
    Rank first{};
    int count = 1;
    Rank largest{};                    ///< the one that keeps most weights
    planner::RankMemory memory = {};   ///< of that one
    planner::ServedTraffic sent = {};  ///< in a step, by those that send most of either
};

struct ServedPlan {
    planner::ServedModel job;             ///< as the first rank has it
    std::int64_t micro_batches = 1;       ///< of a part of a step
    double part_s = 0;                    ///< until a part ends, with its exchanges and updates
    double step_s = 0;                    ///< until a step ends
    double tiles_per_second = 0;          ///< of all workers
    double room = 0;                      ///< bytes of memory that a rank has
    std::vector<ServedRanks> ranks = {};  ///< the first one, other servers, other workers
    std::string idle = {};                ///< see idle_workers()
    std::string told = {};   ///< what is dropped unasked, and why; nothing when all fits as it is
    std::string lacks = {};  ///< what ranks need that have too little; nothing if all fit
};

/// Plans what is asked for, by estimated times, of `configuration.update`. Throws UsageError for
/// what cannot be planned.
[[nodiscard]] ServedPlan plan_served(planner::Configuration configuration,
                                     const planner::MachineModel& machine);
[[nodiscard]] std::string to_text(const ServedPlan& plan);
/// Workers that are always left without a part of a step, in words; nothing where there are none.
[[nodiscard]] std::string idle_workers(const planner::ServedModel& job, std::int64_t micro_batch);

}  // namespace civitas::strategy
