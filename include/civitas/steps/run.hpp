#pragma once
/// What a run is made of, opened and agreed on by all ranks.
#include "civitas/base/log.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/planner/step_plan.hpp"
#include "civitas/runs/run_folder.hpp"
#include "civitas/tasks/objective.hpp"

#include <memory>

namespace civitas::steps {

struct Run {
    const planner::Configuration& configuration;
    const environment::Process& process;
    const planner::CostModel& model;  ///< what the plan was made with
    const planner::StepPlan& plan;
    const comm::Mesh& mesh;
    const runs::RunFolder& folder;
    const data::TileStore& store;
    std::shared_ptr<const tasks::Objective> objective;
    Log& log;
    const comm::Communicator& ranks;  ///< of the run; the mesh's, unless each rank is on its own
    std::int64_t parts = 1;           ///< of a step, of which a rank makes one at a time
    [[nodiscard]] bool is_root_of_job() const { return ranks.is_root(); }
    [[nodiscard]] bool is_root() const { return mesh.world().is_root(); }
    /// Whether all ranks make steps together; else the mesh is of this rank alone.
    [[nodiscard]] bool is_of_one_mesh() const { return ranks.size() == mesh.world().size(); }
};

}  // namespace civitas::steps
