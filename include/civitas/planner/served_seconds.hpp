#pragma once
/// Weights on servers, on paper: how long exchanges and steps take.
#include "civitas/planner/machine_model.hpp"
#include "civitas/planner/served_model.hpp"

namespace civitas::planner {

/// Seconds until servers have from every worker at work its slice of an array of so many bytes, or
/// workers such slices from all servers: of the rank, or the node, through which most goes. Ranks
/// that serve and work send themselves nothing.
[[nodiscard]] double exchange_seconds(const ServedModel& served, const MachineModel& machine,
                                      std::int64_t bytes);

/// Seconds of a step, where all workers are as quick. `part_s`: until a part ends that is its
/// worker's only one; `once_s`: those of them that pass once in a step. With staleness workers make
/// parts of later steps, as many as that allows, in the place of waiting.
[[nodiscard]] double step_seconds(const ServedModel& served, double part_s, double once_s);

}  // namespace civitas::planner
