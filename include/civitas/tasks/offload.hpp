#pragma once
/// Where the models of a run offload to.
#include "civitas/base/log.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/memory/offload_memory.hpp"
#include "civitas/planner/step_plan.hpp"

#include <memory>

namespace civitas::tasks {

/// Where a rank's models offload to under a plan, a file with all its room; null where that is
/// nothing. Collective; throws AgreedError where a disk or a host has too little.
[[nodiscard]] std::unique_ptr<memory::OffloadMemory> agree_on_offload(
    const comm::Mesh& mesh, const planner::Configuration& configuration,
    const planner::StepPlan& plan, Log& log);

}  // namespace civitas::tasks
