#pragma once
/// What the ranks agree on before anything is allocated: mesh, threads, devices, table of actions,
/// stages.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/planner/cost_model.hpp"
#include "civitas/planner/step_plan.hpp"

namespace civitas::train {

/// What plans of this job are made by: its workload, nodes and machine, and estimated times.
/// Collective. Throws AgreedError where ranks were told different things, and for nodes that cannot
/// be.
[[nodiscard]] planner::CostModel agree_on_model(const comm::Communicator& world,
                                                const planner::Configuration& configuration);

/// A layout by estimates, to see that there is one. Collective. Throws AgreedError for a mesh,
/// batch, number of devices, schedule or stages that do not fit.
[[nodiscard]] planner::ExecutionLayout agree_on_layout(const comm::Communicator& world,
                                                       const planner::Configuration& configuration,
                                                       const planner::CostModel& estimate);

/// The configuration with one copy of the weights a rank where a node has too little room for one
/// that its ranks share under a layout, which is told. Collective.
[[nodiscard]] planner::Configuration agree_on_weight_copies(const comm::Communicator& world,
                                                            planner::Configuration configuration,
                                                            const planner::ExecutionLayout& layout,
                                                            const planner::CostModel& estimate,
                                                            Log& log);

/// Takes a device and sets the threads of this process. Collective; throws AgreedError for a device
/// that is not there.
[[nodiscard]] environment::Process agree_on_process(const comm::Communicator& world,
                                                    const planner::LayoutOptions& options,
                                                    MeshShape mesh, Log& log);

/// The plan by estimated times, which knows its bytes as well as any: what cannot fit is refused
/// before anything is made or timed. Collective; throws AgreedError, with what a rank needs part by
/// part and what may help, where it has too little memory.
[[nodiscard]] planner::StepPlan agree_on_estimate(const comm::Communicator& world,
                                                  const planner::LayoutOptions& options,
                                                  const planner::CostModel& estimate,
                                                  MeshShape mesh);

/// The plan of a run; `model`: by what layers really take. What is dropped for memory, unasked, is
/// told. Collective; throws AgreedError where a rank has too little memory.
[[nodiscard]] planner::StepPlan agree_on_plan(const comm::Communicator& world,
                                              const planner::LayoutOptions& options,
                                              const planner::CostModel& model, MeshShape mesh,
                                              Log& log);

/// Throws UsageError for a store without training tiles, or whose tiles a net cannot average, and
/// for a problem whose checkpoints would be too large.
void require_learnable(const data::TileStore& store, const planner::Configuration& configuration);

/// Throws UsageError for a --delay of a rank that a run of so many does not have.
void require_delayed_ranks(const UpdateOptions& update, int ranks);

}  // namespace civitas::train
